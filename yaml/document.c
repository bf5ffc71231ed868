/*
 * document.c - see document.h
 *
 * Two readings of the same text: one over libyaml's events, which are cheap and
 * flat, to refuse what must not become a tree; then libyaml's own loader.
 */
#include "yaml/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX (1u << 20)
#define DEPTH_MAX 64

static struct position
mark_position(yaml_mark_t mark, int override)
{
	return (struct position){ override, mark.line + 1, mark.column + 1 };
}

/* Return: the file's bytes with a NUL behind them, or NULL after an error. */
static char *
read_file(struct report *report, struct pool *pool, size_t *length)
{
	struct position whole = { 0 };
	FILE *file = fopen(report->file, "r");
	char *text = NULL;

	if (!file) {
		report_error(report, whole, "cannot open: %s", strerror(errno));
		return NULL;
	}
	text = pool_alloc(pool, FILE_BYTES_MAX + 2);
	*length = fread(text, 1, FILE_BYTES_MAX + 1, file);
	if (ferror(file)) {
		report_error(report, whole, "cannot read: %s", strerror(errno));
		text = NULL;
	} else if (*length > FILE_BYTES_MAX) {
		report_error(report, whole, "larger than 1 MiB");
		text = NULL;
	}
	fclose(file);
	return text;
}

/* Return: bytes of the UTF-8 character at @p, or 0 if it is none or not allowed in text. */
static int
character_length(const unsigned char *p, const unsigned char *end)
{
	u32 smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int length = *p < 0x80	 ? 1
		     : *p < 0xc0 ? 0
		     : *p < 0xe0 ? 2
		     : *p < 0xf0 ? 3
		     : *p < 0xf8 ? 4
				 : 0;
	u32 code = length == 1 ? *p : *p & (0x7f >> length);

	if (!length || length > end - p)
		return 0;
	for (int i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	if (code < 0x20 && code != '\t' && code != '\n' && code != '\r')
		return 0;
	return code == 0x7f ? 0 : length;
}

/* Only the first bad byte is reported: binary junk has thousands. */
static bool
check_text(struct report *report, const char *text, size_t length, int override)
{
	const unsigned char *p = (const unsigned char *)text;
	const unsigned char *end = p + length;
	struct position at = { override, 1, 1 };
	int step;

	for (; p < end; p += step) {
		step = character_length(p, end);
		if (!step) {
			report_error(report, at,
				     *p < 0x80 ? "control character 0x%02x: not a text file"
					       : "byte 0x%02x is not UTF-8",
				     *p);
			return false;
		}
		at.column++;
		if (*p == '\n') {
			at.line++;
			at.column = 1;
		}
	}
	return true;
}

static void
report_parser(struct report *report, const yaml_parser_t *parser, const char *text, int override)
{
	const yaml_mark_t mark = parser->problem_mark;
	struct position at = mark_position(mark, override);

	if (text[mark.index] == '\t' && strstr(parser->problem, "cannot start any token"))
		report_error(report, at, "a tab cannot indent YAML: use spaces");
	else if (parser->context)
		report_error(report, at, "%s, %s", parser->context, parser->problem);
	else
		report_error(report, at, "%s", parser->problem);
}

static void
start_parser(yaml_parser_t *parser, const char *text, size_t length)
{
	if (!yaml_parser_initialize(parser))
		abort();
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
}

/* A node's tag and anchor; NULL what it does not have, and both for events that start no node. */
static const yaml_char_t *
event_tag(const yaml_event_t *event, const yaml_char_t **anchor)
{
	*anchor = NULL;
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		*anchor = event->data.scalar.anchor;
		return event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		*anchor = event->data.sequence_start.anchor;
		return event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		*anchor = event->data.mapping_start.anchor;
		return event->data.mapping_start.tag;
	default:
		return NULL;
	}
}

struct scan {
	struct report *report;
	int override;
	int depth;
	int documents;
};

/* Escapes in double quotes can bring in what the file itself may not hold. */
static bool
has_control_character(const yaml_event_t *event)
{
	if (event->type != YAML_SCALAR_EVENT)
		return false;
	for (size_t i = 0; i < event->data.scalar.length; i++) {
		yaml_char_t c = event->data.scalar.value[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			return true;
	}
	return false;
}

/* Of a node: names for it, types for its value, escapes: nothing that these files need. */
static void
scan_node(struct scan *scan, const yaml_event_t *event)
{
	struct position at = mark_position(event->start_mark, scan->override);
	const yaml_char_t *anchor;
	const yaml_char_t *tag = event_tag(event, &anchor);

	if (event->type == YAML_ALIAS_EVENT)
		report_error(scan->report, at, "aliases are not used in these files: write out *%s",
			     event->data.alias.anchor);
	if (anchor)
		report_error(scan->report, at, "anchors are not used in these files: leave out &%s",
			     anchor);
	if (tag)
		report_error(scan->report, at, "tags are not used in these files: leave out %s",
			     tag);
	if (has_control_character(event))
		report_error(scan->report, at, "a control character in this text");
}

/* Return: false once the rest of the text is not worth reading. */
static bool
scan_event(struct scan *scan, const yaml_event_t *event)
{
	struct position at = mark_position(event->start_mark, scan->override);

	scan_node(scan, event);
	if (event->type == YAML_DOCUMENT_START_EVENT && scan->documents++) {
		report_error(scan->report, at, "a second document: a file holds one");
		return false;
	}
	if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
		scan->depth++;
	if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
		scan->depth--;
	if (scan->depth <= DEPTH_MAX)
		return true;
	report_error(scan->report, at, "nested deeper than %d levels", DEPTH_MAX);
	return false;
}

/* The reading over events. Return: true if a tree may be built. */
static bool
scan_text(struct report *report, const char *text, size_t length, int override)
{
	struct scan scan = { .report = report, .override = override };
	size_t errors = report->entries_count;
	bool more = true;
	yaml_parser_t parser;
	yaml_event_t event;

	start_parser(&parser, text, length);
	while (more) {
		if (!yaml_parser_parse(&parser, &event)) {
			report_parser(report, &parser, text, override);
			break;
		}
		more = scan_event(&scan, &event) && event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return report->entries_count == errors;
}

static void
remember_positions(struct document *document, int override)
{
	size_t nodes = document->yaml.nodes.top - document->yaml.nodes.start;

	for (; document->nodes < nodes; document->nodes++) {
		yaml_mark_t mark = document->yaml.nodes.start[document->nodes].start_mark;

		document->at = pool_grow(document->pool, document->at, document->nodes,
					 sizeof(*document->at));
		document->at[document->nodes] = mark_position(mark, override);
	}
}

bool
document_parse(struct document *document, const char *text, size_t length, int override)
{
	yaml_parser_t parser;

	if (!check_text(document->report, text, length, override))
		return false;
	if (!scan_text(document->report, text, length, override))
		return false;
	start_parser(&parser, text, length);
	if (!yaml_parser_load(&parser, &document->yaml))
		abort(); /* the scan read the same text without an error */
	yaml_parser_delete(&parser);
	remember_positions(document, override);
	return true;
}

bool
document_read(struct document *document, struct report *report, struct pool *pool)
{
	struct position start = { .line = 1, .column = 1 };
	size_t length;
	char *text;

	*document = (struct document){ .report = report, .pool = pool };
	text = read_file(report, pool, &length);
	if (!text || !document_parse(document, text, length, 0))
		return false;
	if (yaml_document_get_root_node(&document->yaml) && !document_is_null(document, 1))
		return true;
	report_error(report, start, "nothing in this file");
	document_free(document);
	return false;
}

void
document_free(struct document *document)
{
	yaml_document_delete(&document->yaml);
}

yaml_node_t *
document_node(struct document *document, int node)
{
	return yaml_document_get_node(&document->yaml, node);
}

struct position
document_position(const struct document *document, int node)
{
	return document->at[node - 1];
}

const char *
document_text(struct document *document, int node)
{
	yaml_node_t *scalar = document_node(document, node);

	return scalar->type == YAML_SCALAR_NODE ? (const char *)scalar->data.scalar.value : NULL;
}

bool
document_is_null(struct document *document, int node)
{
	const yaml_node_t *scalar = document_node(document, node);
	const char *text = document_text(document, node);

	if (!text || scalar->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	return !*text || !strcmp(text, "~") || !strcmp(text, "null");
}

static int
added(struct document *document, int node, struct position at)
{
	if (!node)
		abort(); /* libyaml found no memory */
	remember_positions(document, 0);
	document->at[node - 1] = at;
	return node;
}

int
document_add_scalar(struct document *document, const char *text, int length, struct position at)
{
	return added(document,
		     yaml_document_add_scalar(&document->yaml, NULL, (const yaml_char_t *)text,
					      length, YAML_ANY_SCALAR_STYLE),
		     at);
}

int
document_add_mapping(struct document *document, struct position at)
{
	return added(document,
		     yaml_document_add_mapping(&document->yaml, NULL, YAML_ANY_MAPPING_STYLE), at);
}

int
document_add_sequence(struct document *document, struct position at)
{
	return added(document,
		     yaml_document_add_sequence(&document->yaml, NULL, YAML_ANY_SEQUENCE_STYLE),
		     at);
}

void
document_append_pair(struct document *document, int mapping, int key, int value)
{
	if (!yaml_document_append_mapping_pair(&document->yaml, mapping, key, value))
		abort();
}

void
document_append_item(struct document *document, int sequence, int item)
{
	if (!yaml_document_append_sequence_item(&document->yaml, sequence, item))
		abort();
}
