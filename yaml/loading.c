/*
 * loading.c - see loading.h
 *
 * After the locate pass the tree holds nothing that libcyaml could refuse. It
 * is written out and loaded from there: so --set and the short forms are seen
 * by libcyaml as if the file had been written that way, and what was reported
 * is not seen at all.
 */
#include "yaml/loading.h"

#include <stdlib.h>

#include "yaml/document.h"
#include "yaml/locate.h"

struct text {
	struct pool *pool;
	char *bytes;
	size_t length;
	size_t room;
};

static int
append_text(void *data, unsigned char *bytes, size_t size)
{
	struct text *text = data;

	if (text->length + size > text->room) {
		char *larger;

		text->room = 2 * text->room + size;
		larger = pool_alloc(text->pool, text->room);
		if (text->length)
			memcpy(larger, text->bytes, text->length);
		text->bytes = larger;
	}
	memcpy(text->bytes + text->length, bytes, size);
	text->length += size;
	return 1;
}

/* Write @document out; that also frees it. */
static void
emit(struct document *document, struct text *text)
{
	yaml_emitter_t emitter;

	if (!yaml_emitter_initialize(&emitter))
		abort();
	yaml_emitter_set_output(&emitter, append_text, text);
	yaml_emitter_set_unicode(&emitter, 1);
	yaml_emitter_set_width(&emitter, -1);
	if (!yaml_emitter_open(&emitter) || !yaml_emitter_dump(&emitter, &document->yaml) ||
	    !yaml_emitter_close(&emitter))
		abort();
	yaml_emitter_delete(&emitter);
}

/* libcyaml's own account goes to the report: it only has one if the passes disagree. */
static void
log_to_report(cyaml_log_t level, void *context, const char *format, va_list args)
{
	struct position whole = { 0 };
	char message[256];

	vsnprintf(message, sizeof(message), format, args);
	message[strcspn(message, "\n")] = '\0';
	report_error(context, whole, "%s", message);
}

static void *
load(struct loading *loading, struct document *document)
{
	const cyaml_config_t config = {
		.log_fn = log_to_report,
		.log_ctx = &loading->report,
		.mem_fn = cyaml_mem,
		.log_level = CYAML_LOG_WARNING,
		.flags = CYAML_CFG_NO_ALIAS,
	};
	struct text text = { .pool = &loading->scratch };
	cyaml_data_t *data = NULL;
	cyaml_err_t error;

	emit(document, &text);
	error = cyaml_load_data((const uint8_t *)text.bytes, text.length, &config, loading->schema,
				&data, NULL);
	if (error != CYAML_OK)
		report_error(&loading->report, (struct position){ 0 }, "%s", cyaml_strerror(error));
	return data;
}

void *
loading_begin(struct loading *loading, const char *file, const struct override *overrides,
	      int nr_overrides, const cyaml_schema_value_t *schema, const char *what,
	      struct pool *pool)
{
	struct document document;

	*loading = (struct loading){ .schema = schema };
	loading->report =
		(struct report){ .file = file, .overrides = overrides, .pool = &loading->scratch };
	loading->places.pool = &loading->scratch;
	loading->check = (struct check){ .report = &loading->report,
					 .places = &loading->places,
					 .pool = pool };
	if (!document_read(&document, &loading->report, &loading->scratch))
		return NULL;
	for (int i = 1; i <= nr_overrides; i++)
		document_override(&document, i);
	if (locate(&document, schema, what, &loading->places))
		loading->raw = load(loading, &document);
	else
		document_free(&document);
	return loading->raw;
}

bool
loading_end(struct loading *loading, FILE *errors)
{
	const cyaml_config_t config = { .mem_fn = cyaml_mem };
	bool good = !loading->report.entries_count;

	if (errors)
		report_print(&loading->report, errors);
	cyaml_free(&config, loading->schema, loading->raw, 0);
	pool_free(&loading->scratch);
	return good;
}
