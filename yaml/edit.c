/*
 * edit.c - see edit.h
 *
 * libyaml says where the nodes of a figure begin and end; everything between
 * them is copied. Short forms:
 *
 *	hit: 1ns			hit: { cost: 1.2ns, calibrated: "..." }
 *	hold: { mean: 7ns, fit: [..] }	hold: { mean: 6.1ns, calibrated: "...", fit: [..] }
 */
#include "yaml/edit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "machine/types.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* A piece of the text, and what to put there. */
struct change {
	size_t from;
	size_t to;
	char *text;
};

#define CHANGES_MAX 3

struct edit {
	const char *text;
	yaml_document_t yaml;
	struct change changes[CHANGES_MAX];	/* in the order of the text */
	int nr_changes;
};

/* libyaml counts characters, and the mark in front is none of them. */
static size_t
byte_offset(const char *text, size_t characters)
{
	const char *p = text;

	if (!strncmp(p, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)))
		p += strlen(BYTE_ORDER_MARK);
	for (; characters && *p; characters--)
		for (p++; (*p & 0xc0) == 0x80; p++)
			;
	return p - text;
}

/* The pair of @key in @mapping, or NULL. */
static const yaml_node_pair_t *
find_pair(struct edit *edit, const yaml_node_t *mapping, const char *key, size_t length)
{
	const yaml_node_pair_t *pair;

	if (!mapping || mapping->type != YAML_MAPPING_NODE)
		return NULL;
	for (pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
	     pair++) {
		const yaml_node_t *name = yaml_document_get_node(&edit->yaml, pair->key);

		if (name->type == YAML_SCALAR_NODE && name->data.scalar.length == length &&
		    !memcmp(name->data.scalar.value, key, length))
			return pair;
	}
	return NULL;
}

static const yaml_node_t *
value_node(struct edit *edit, const yaml_node_pair_t *pair)
{
	return pair ? yaml_document_get_node(&edit->yaml, pair->value) : NULL;
}

/* Return: the figure's node, or NULL. */
static const yaml_node_t *
find_figure(struct edit *edit, const char *path)
{
	const yaml_node_t *node = yaml_document_get_root_node(&edit->yaml);

	while (node && *path) {
		size_t length = strcspn(path, ".");

		node = value_node(edit, find_pair(edit, node, path, length));
		path += length + (path[length] == '.');
	}
	return node;
}

__printf(4, 5) static void
change(struct edit *edit, size_t from, size_t to, const char *format, ...)
{
	struct change *changed = &edit->changes[edit->nr_changes++];
	va_list args;

	va_start(args, format);
	if (vasprintf(&changed->text, format, args) < 0)
		abort();
	va_end(args);
	changed->from = from;
	changed->to = to;
	for (; changed > edit->changes && changed[-1].from > changed->from; changed--) {
		struct change later = changed[-1];

		changed[-1] = changed[0];
		changed[0] = later;
	}
}

/* A block scalar's end is the beginning of the next line. */
static const char *
line_end_of(const yaml_node_t *scalar)
{
	yaml_scalar_style_t style = scalar->data.scalar.style;

	return style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE ? "\n" : "";
}

static void
replace(struct edit *edit, const yaml_node_t *scalar, const char *quote, const char *text)
{
	change(edit, byte_offset(edit->text, scalar->start_mark.index),
	       byte_offset(edit->text, scalar->end_mark.index), "%s%s%s%s", quote, text, quote,
	       line_end_of(scalar));
}

/* "key: text" for a mapping that has no such key, behind the one that has the value. */
static char *
new_key(const yaml_node_t *mapping, int column, const char *key, const char *quote,
	const char *text)
{
	char *added;
	int length;

	if (!text)
		return strdup("");
	if (mapping->data.mapping.style == YAML_FLOW_MAPPING_STYLE)
		length = asprintf(&added, ", %s: %s%s%s", key, quote, text, quote);
	else
		length = asprintf(&added, "\n%*s%s: %s%s%s", column, "", key, quote, text, quote);
	if (length < 0)
		abort();
	return added;
}

/* Where keys can be added: behind the value, in block style behind its line. */
static size_t
end_of_value(struct edit *edit, const yaml_node_t *mapping, const yaml_node_t *value)
{
	size_t end = byte_offset(edit->text, value->end_mark.index);

	if (mapping->data.mapping.style != YAML_FLOW_MAPPING_STYLE)
		end += strcspn(edit->text + end, "\r\n");
	return end;
}

/* Replace what @key says, or give back what to add. */
static char *
replace_or_add(struct edit *edit, const yaml_node_t *mapping, int column, const char *key,
	       const char *quote, const char *text)
{
	const yaml_node_t *old = value_node(edit, find_pair(edit, mapping, key, strlen(key)));

	if (!old || !text)
		return new_key(mapping, column, key, quote, text);
	replace(edit, old, quote, text);
	return strdup("");
}

static bool
edit_mapping(struct edit *edit, const yaml_node_t *mapping, const struct figure_edit *wanted)
{
	static const char *const keys[] = { "value", "cost", "mean" };
	const yaml_node_pair_t *pair = NULL;
	const yaml_node_t *value;
	char *published;
	char *calibrated;
	int column;

	for (size_t i = 0; i < ARRAY_SIZE(keys) && !pair; i++)
		pair = find_pair(edit, mapping, keys[i], strlen(keys[i]));
	value = value_node(edit, pair);
	if (!value || value->type != YAML_SCALAR_NODE)
		return false;
	column = yaml_document_get_node(&edit->yaml, pair->key)->start_mark.column;
	published = replace_or_add(edit, mapping, column, "published", "", wanted->published);
	calibrated = replace_or_add(edit, mapping, column, "calibrated", "\"", wanted->calibrated);
	replace(edit, value, "", wanted->value);
	if (*published || *calibrated) {
		size_t end = end_of_value(edit, mapping, value);

		change(edit, end, end, "%s%s", published, calibrated);
	}
	free(published);
	free(calibrated);
	return true;
}

static bool
edit_figure(struct edit *edit, const void *context)
{
	const struct figure_edit *wanted = context;
	const yaml_node_t *figure = find_figure(edit, wanted->path);

	if (!figure || figure->type == YAML_SEQUENCE_NODE)
		return false;
	if (figure->type == YAML_MAPPING_NODE)
		return edit_mapping(edit, figure, wanted);
	change(edit, byte_offset(edit->text, figure->start_mark.index),
	       byte_offset(edit->text, figure->end_mark.index),
	       "{ cost: %s%s%s, calibrated: \"%s\" }", wanted->value,
	       wanted->published ? ", published: " : "", wanted->published ? wanted->published : "",
	       wanted->calibrated);
	return true;
}

/* The text with its changes, which do not overlap. */
static char *
carry_out(struct edit *edit)
{
	size_t length;
	size_t at = 0;
	char *result;
	FILE *out = open_memstream(&result, &length);

	if (!out)
		abort();
	for (int i = 0; i < edit->nr_changes; i++) {
		struct change *changed = &edit->changes[i];

		fwrite(edit->text + at, 1, changed->from - at, out);
		fputs(changed->text, out);
		at = changed->to;
		free(changed->text);
	}
	fputs(edit->text + at, out);
	if (fclose(out))
		abort();
	return result;
}

/* Return: @text as @make wants it, malloc()ed; NULL if @make or libyaml cannot do it. */
static char *
edit_text(const char *text, bool (*make)(struct edit *edit, const void *context),
	  const void *context)
{
	struct edit edit = { .text = text };
	yaml_parser_t parser;
	char *result = NULL;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
	if (yaml_parser_load(&parser, &edit.yaml)) {
		if (make(&edit, context))
			result = carry_out(&edit);
		yaml_document_delete(&edit.yaml);
	}
	yaml_parser_delete(&parser);
	return result;
}

char *
figure_edit(const char *text, const struct figure_edit *wanted)
{
	return edit_text(text, edit_figure, wanted);
}

/* A block's own end is where the next key begins, with the comments in between. */
static const yaml_node_t *
last_of_block(struct edit *edit, const yaml_node_t *node)
{
	for (;;) {
		int last = 0;

		if (node->type == YAML_SEQUENCE_NODE &&
		    node->data.sequence.style != YAML_FLOW_SEQUENCE_STYLE)
			last = node->data.sequence.items.top[-1];
		if (node->type == YAML_MAPPING_NODE &&
		    node->data.mapping.style != YAML_FLOW_MAPPING_STYLE)
			last = node->data.mapping.pairs.top[-1].value;
		if (!last)
			return node;
		node = yaml_document_get_node(&edit->yaml, last);
	}
}

static bool
clear_accuracy(struct edit *edit, const void *context)
{
	static const char key[] = "accuracy";
	const yaml_node_t *root = yaml_document_get_root_node(&edit->yaml);
	const yaml_node_pair_t *pair = find_pair(edit, root, key, strlen(key));
	const yaml_node_t *last;

	if (!pair)
		return root && root->type == YAML_MAPPING_NODE;
	last = last_of_block(edit, value_node(edit, pair));
	change(edit,
	       byte_offset(edit->text,
			   yaml_document_get_node(&edit->yaml, pair->key)->end_mark.index),
	       byte_offset(edit->text, last->end_mark.index), ": []");
	return true;
}

char *
accuracy_clear(const char *text)
{
	return edit_text(text, clear_accuracy, NULL);
}
