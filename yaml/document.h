/*
 * document.h - a file as libyaml's tree, with the position of every node
 *
 * What could hang or crash a reader is refused before the tree is built: binary
 * data, aliases, deep nesting, a second document, files above 1 MiB.
 */
#ifndef YAML_DOCUMENT_H
#define YAML_DOCUMENT_H

#include <yaml.h>

#include "yaml/report.h"

struct document {
	yaml_document_t yaml;
	struct report *report;
	struct pool *pool;
	struct position *at;	/* of each node, by its number - 1 */
	size_t nodes;
};

/*
 * Read @report->file. Errors go to @report.
 * Return: true with a tree in @document (end with document_free()).
 */
bool document_read(struct document *document, struct report *report, struct pool *pool);
void document_free(struct document *document);

/*
 * The same for text in memory: the file's if @override is 0, else the value of
 * that `--set`. @document has report and pool set. Return: true with a tree,
 * which has no root if the text is empty.
 */
bool document_parse(struct document *document, const char *text, size_t length, int override);

/* Replace or add what `--set` number @override (1-based) says. Errors go to the report. */
void document_override(struct document *document, int override);

yaml_node_t *document_node(struct document *document, int node);
struct position document_position(const struct document *document, int node);

/* Text of a scalar; NULL for anything else. */
const char *document_text(struct document *document, int node);

/* True for a scalar that says nothing: `key:`, `key: ~`, `key: null`. */
bool document_is_null(struct document *document, int node);

/*
 * New nodes, placed at @at; @text must be UTF-8, a @length of -1 means up to its NUL.
 * Return: their numbers. Earlier yaml_node_t pointers are stale then.
 */
int document_add_scalar(struct document *document, const char *text, int length,
			struct position at);
int document_add_mapping(struct document *document, struct position at);
int document_add_sequence(struct document *document, struct position at);
void document_append_pair(struct document *document, int mapping, int key, int value);
void document_append_item(struct document *document, int sequence, int item);

#endif
