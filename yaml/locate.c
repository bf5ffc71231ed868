/*
 * locate.c - see locate.h
 *
 * The tree is walked along libcyaml's own tables, so the two cannot disagree on
 * what a file may look like. Work is linear in the size of the file: a mapping
 * is searched for known keys only, and those are few.
 */
#include "yaml/locate.h"

#include <string.h>

#include "yaml/suggest.h"

struct locate {
	struct document *document;
	struct places *places;
	const char *what; /* what the root is called */
	struct path path;
};

static bool locate_value(struct locate *l, int *node, const cyaml_schema_value_t *schema);

/* What a key of the current path is in: the last key, or the file's kind. */
static const char *
here(const struct locate *l, char buffer[static 64])
{
	return l->path.length ? path_tail(&l->path, buffer) : l->what;
}

/* Is the current path that of an element of a list? */
static bool
in_list(const struct locate *l)
{
	return l->path.length && l->path.text[l->path.length - 1] == ']';
}

static const char *
kind_name(const yaml_node_t *node)
{
	switch (node->type) {
	case YAML_SCALAR_NODE:
		return "a single value";
	case YAML_SEQUENCE_NODE:
		return "a list";
	default:
		return "a mapping";
	}
}

/* Return: false, to leave the node out. */
static bool
wrong_kind(struct locate *l, int node, const char *wanted)
{
	char name[64];

	report_error(l->document->report, document_position(l->document, node),
		     "%s%s must be %s, not %s", in_list(l) ? "an entry of " : "", here(l, name),
		     wanted, kind_name(document_node(l->document, node)));
	return false;
}

static void
unknown_key(struct locate *l, int key, const cyaml_schema_field_t *fields)
{
	const char *noun = schema_noun(fields);
	const char *text = document_text(l->document, key);
	struct suggestion suggestion = SUGGESTION(text);
	char hint[128];
	char name[64];

	for (; fields->key; fields++)
		suggest(&suggestion, fields->key);
	report_error(l->document->report, document_position(l->document, key),
		     "unknown %s '%.64s' in %s%s", noun, text, here(l, name),
		     suggestion_text(&suggestion, hint));
}

static int
field_count(const cyaml_schema_field_t *fields)
{
	int count = 0;

	while (fields[count].key)
		count++;
	return count;
}

/* Which keys of the mapping at hand have come up. */
struct seen {
	int *key;  /* of each field: the node of its key, 0 if it has not come up */
	int first; /* the node of the first known key */
};

/* Return: the pair's field if its value is to be kept. */
static const cyaml_schema_field_t *
check_key(struct locate *l, const yaml_node_pair_t *pair, const cyaml_schema_field_t *fields,
	  struct seen *seen)
{
	struct report *report = l->document->report;
	struct position at = document_position(l->document, pair->key);
	const char *text = document_text(l->document, pair->key);
	const cyaml_schema_field_t *field;

	if (!text) {
		report_error(report, at, "a key must be a word");
		return NULL;
	}
	field = schema_field(fields, text);
	if (!field) {
		unknown_key(l, pair->key, fields);
		return NULL;
	}
	if (seen->key[field - fields]) {
		report_error(report, at, "'%s' is set twice (first on line %d)", text,
			     document_position(l->document, seen->key[field - fields]).line);
		return NULL;
	}
	seen->key[field - fields] = pair->key;
	if (schema_is_step(fields) && seen->first) {
		report_error(report, at, "a step is one operation: '%s' needs a step of its own",
			     text);
		return NULL;
	}
	seen->first = pair->key;
	return field;
}

static bool
locate_mapping(struct locate *l, int node, const cyaml_schema_field_t *fields)
{
	yaml_node_t *mapping = document_node(l->document, node);
	size_t pairs = mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start;
	struct seen seen = { .key = pool_alloc(l->document->pool,
					       field_count(fields) * sizeof(*seen.key)) };
	size_t kept = 0;

	for (size_t i = 0; i < pairs; i++) {
		/* Adding nodes moves them all: nothing is held across the walk. */
		yaml_node_pair_t pair =
			document_node(l->document, node)->data.mapping.pairs.start[i];
		const cyaml_schema_field_t *field = check_key(l, &pair, fields, &seen);
		size_t before;
		bool keep;

		if (!field)
			continue;
		before = path_push(&l->path, field->key);
		keep = locate_value(l, &pair.value, &field->value);
		places_add(l->places, l->path.text, document_position(l->document, pair.value),
			   !keep);
		path_pop(&l->path, before);
		if (keep)
			document_node(l->document, node)->data.mapping.pairs.start[kept++] = pair;
	}
	mapping = document_node(l->document, node);
	mapping->data.mapping.pairs.top = mapping->data.mapping.pairs.start + kept;
	if (!schema_is_step(fields) || pairs)
		return true;
	report_error(l->document->report, document_position(l->document, node),
		     "a step is one operation with its arguments");
	return false;
}

static void
locate_items(struct locate *l, int node, const cyaml_schema_value_t *entry)
{
	yaml_node_t *list = document_node(l->document, node);
	size_t items = list->data.sequence.items.top - list->data.sequence.items.start;

	for (size_t i = 0; i < items; i++) {
		int item = document_node(l->document, node)->data.sequence.items.start[i];
		size_t before = path_push_index(&l->path, i);
		bool keep = locate_value(l, &item, entry);

		places_add(l->places, l->path.text, document_position(l->document, item), !keep);
		path_pop(&l->path, before);
		/* What is wrong leaves a hole, so that the others keep their numbers. */
		if (!keep) {
			struct position at = document_position(l->document, item);

			item = entry->type == CYAML_MAPPING
				       ? document_add_mapping(l->document, at)
				       : document_add_scalar(l->document, "", 0, at);
		}
		document_node(l->document, node)->data.sequence.items.start[i] = item;
	}
}

/* A list of one, or (from the command line) a list with commas. Return: the list. */
static int
list_of(struct locate *l, int node)
{
	struct position at = document_position(l->document, node);
	const char *text = pool_strdup(l->document->pool, document_text(l->document, node));
	int list = document_add_sequence(l->document, at);

	while (at.override && strchr(text, ',')) {
		int length = strcspn(text, ",");

		document_append_item(l->document, list,
				     document_add_scalar(l->document, text, length, at));
		text += length + 1;
	}
	document_append_item(l->document, list, document_add_scalar(l->document, text, -1, at));
	return list;
}

static bool
locate_list(struct locate *l, int *node, const cyaml_schema_value_t *entry)
{
	if (document_is_null(l->document, *node))
		*node = document_add_sequence(l->document, document_position(l->document, *node));
	if (document_text(l->document, *node) && entry->type == CYAML_STRING)
		*node = list_of(l, *node);
	if (document_node(l->document, *node)->type != YAML_SEQUENCE_NODE)
		return wrong_kind(l, *node, "a list");
	locate_items(l, *node, entry);
	return true;
}

static bool
locate_text(struct locate *l, int node)
{
	char name[64];

	if (!document_text(l->document, node))
		return wrong_kind(l, node, "a single value");
	if (!document_is_null(l->document, node))
		return true;
	report_error(l->document->report, document_position(l->document, node), "%s has no value",
		     here(l, name));
	return false;
}

/* Write out the short form of a mapping. Return: the mapping. */
static int
write_out(struct locate *l, int node)
{
	struct position at = document_position(l->document, node);
	int mapping = document_add_mapping(l->document, at);

	document_append_pair(l->document, mapping, document_add_scalar(l->document, "", 0, at),
			     node);
	return mapping;
}

static bool
locate_value(struct locate *l, int *node, const cyaml_schema_value_t *schema)
{
	if (schema->type == CYAML_SEQUENCE)
		return locate_list(l, node, schema->sequence.entry);
	if (schema->type == CYAML_STRING)
		return locate_text(l, *node);
	if (document_node(l->document, *node)->type != YAML_MAPPING_NODE) {
		if (schema_field(schema->mapping.fields, ""))
			*node = write_out(l, *node);
		else if (document_is_null(l->document, *node))
			*node = document_add_mapping(l->document,
						     document_position(l->document, *node));
		else
			return wrong_kind(l, *node, "a mapping");
	}
	return locate_mapping(l, *node, schema->mapping.fields);
}

bool
locate(struct document *document, const cyaml_schema_value_t *schema, const char *what,
       struct places *places)
{
	struct locate l = { .document = document, .places = places, .what = what };
	int root = 1;

	places_add(places, "", document_position(document, root), false);
	if (document_node(document, root)->type != YAML_MAPPING_NODE)
		return wrong_kind(&l, root, "a mapping");
	return locate_mapping(&l, root, schema->mapping.fields);
}
