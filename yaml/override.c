/*
 * override.c - what `--set path=value` puts into the tree
 *
 * A path is keys and indexes: variants[1].policy.page_ref. The value is parsed
 * as YAML and its nodes are copied into the file's tree before anything is
 * checked, so a wrong key or value gives the same error as in a file, with
 * "--set path" for its place. What a path passes through is made if it is not
 * there; an index may name the element behind the last.
 */
#include "yaml/document.h"

#include <stdlib.h>
#include <string.h>

/* What keys, dots and indexes are made of. */
#define PATH_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.[]"

/* Copy the tree of @value behind @node into @document. Return: the copy's root. */
static int
graft(struct document *document, struct document *value, int node, struct position at)
{
	yaml_node_t *from = document_node(value, node);
	int copy;

	if (from->type == YAML_SCALAR_NODE) {
		copy = document_add_scalar(document, (const char *)from->data.scalar.value,
					   from->data.scalar.length, at);
		document_node(document, copy)->data.scalar.style = from->data.scalar.style;
		return copy;
	}
	if (from->type == YAML_SEQUENCE_NODE) {
		copy = document_add_sequence(document, at);
		for (int *item = from->data.sequence.items.start;
		     item < from->data.sequence.items.top; item++)
			document_append_item(document, copy, graft(document, value, *item, at));
		return copy;
	}
	copy = document_add_mapping(document, at);
	for (yaml_node_pair_t *pair = from->data.mapping.pairs.start;
	     pair < from->data.mapping.pairs.top; pair++) {
		int key = graft(document, value, pair->key, at);

		document_append_pair(document, copy, key, graft(document, value, pair->value, at));
	}
	return copy;
}

/* Return: the root of the override's value, or 0 after an error. */
static int
parse_value(struct document *document, int override)
{
	const char *text = document->report->overrides[override - 1].value;
	struct position at = { .override = override };
	struct document value = { .report = document->report, .pool = document->pool };
	int node;

	if (!document_parse(&value, text, strlen(text), override))
		return 0;
	if (yaml_document_get_root_node(&value.yaml))
		node = graft(document, &value, 1, at);
	else
		node = document_add_scalar(document, "", 0, at);
	document_free(&value);
	return node;
}

/* One part of a path: a key, or an index when @key is NULL. */
struct path_part {
	const char *key;
	unsigned long index;
};

/* Return: false if there is no further part, or (with *bad) none that makes sense. */
static bool
next_part(struct document *document, const char **path, bool first, struct path_part *part,
	  bool *bad)
{
	const char *start = *path;
	size_t length;
	char *end;

	*bad = false;
	if (!*start)
		return false;
	if (*start == '[') {
		part->key = NULL;
		part->index = strtoul(start + 1, &end, 10);
		*bad = start[1] < '0' || start[1] > '9' || *end != ']';
		*path = end + 1;
		return !*bad;
	}
	start += *start == '.' && !first;
	length = strcspn(start, ".[");
	part->key = pool_printf(document->pool, "%.*s", (int)length, start);
	*bad = !length;
	*path = start + length;
	return !*bad;
}

/* Where an override's value goes: into @node, at a key or an index. */
struct target {
	int node;
	struct path_part part;
};

/* Return: the number of the node at @target, or 0 if there is none. */
static int
target_get(struct document *document, const struct target *target)
{
	yaml_node_t *node = document_node(document, target->node);

	if (target->part.key) {
		for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
		     pair < node->data.mapping.pairs.top; pair++) {
			const char *key = document_text(document, pair->key);

			if (key && !strcmp(key, target->part.key))
				return pair->value;
		}
		return 0;
	}
	if (target->part.index >=
	    (size_t)(node->data.sequence.items.top - node->data.sequence.items.start))
		return 0;
	return node->data.sequence.items.start[target->part.index];
}

static void
target_set(struct document *document, const struct target *target, int value, struct position at)
{
	yaml_node_t *node = document_node(document, target->node);

	if (!target->part.key) {
		if (target_get(document, target))
			node->data.sequence.items.start[target->part.index] = value;
		else
			document_append_item(document, target->node, value);
		return;
	}
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top; pair++) {
		const char *key = document_text(document, pair->key);

		if (key && !strcmp(key, target->part.key)) {
			pair->value = value;
			return;
		}
	}
	document_append_pair(document, target->node,
			     document_add_scalar(document, target->part.key, -1, at), value);
}

/* Can @target->part be asked of @target->node? If not, say why. */
static bool
target_fits(struct document *document, const struct target *target, struct position at)
{
	yaml_node_t *node = document_node(document, target->node);
	size_t items;

	if (target->part.key && node->type != YAML_MAPPING_NODE) {
		report_error(document->report, at, "'%s' is asked of something that has no keys",
			     target->part.key);
		return false;
	}
	if (target->part.key)
		return true;
	if (node->type != YAML_SEQUENCE_NODE) {
		report_error(document->report, at, "[%lu] is asked of something that is no list",
			     target->part.index);
		return false;
	}
	items = node->data.sequence.items.top - node->data.sequence.items.start;
	if (target->part.index > items) {
		report_error(document->report, at, "[%lu] is past the end of a list of %zu",
			     target->part.index, items);
		return false;
	}
	return true;
}

/* The node at @target, made if it is missing: a list if @next is an index. */
static int
target_enter(struct document *document, const struct target *target, const struct path_part *next,
	     struct position at)
{
	int node = target_get(document, target);

	if (node && !document_is_null(document, node))
		return node;
	node = next->key ? document_add_mapping(document, at) : document_add_sequence(document, at);
	target_set(document, target, node, at);
	return node;
}

void
document_override(struct document *document, int override)
{
	const char *path = document->report->overrides[override - 1].path;
	struct position at = { .override = override };
	struct target target = { .node = 1 };
	struct path_part next;
	bool bad;
	int value;

	if (path[strspn(path, PATH_LETTERS)] ||
	    !next_part(document, &path, true, &target.part, &bad)) {
		report_error(document->report, at, "not a path such as measure.virtual.seeds");
		return;
	}
	while (target_fits(document, &target, at)) {
		if (next_part(document, &path, false, &next, &bad)) {
			target.node = target_enter(document, &target, &next, at);
			target.part = next;
			continue;
		}
		if (bad) {
			report_error(document->report, at, "not a path such as tasks[0]");
			return;
		}
		value = parse_value(document, override);
		if (value)
			target_set(document, &target, value, at);
		return;
	}
}
