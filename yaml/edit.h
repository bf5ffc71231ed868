/*
 * edit.h - new figures in the text of a machine file
 *
 * The text is changed where the figures stand, so that comments, order and
 * layout of the rest stay as their author left them.
 */
#ifndef YAML_EDIT_H
#define YAML_EDIT_H

/* What one figure becomes. */
struct figure_edit {
	const char *path;	/* "transfer.cluster" */
	const char *value;	/* as it is written: "46.3ns" */
	const char *published;	/* NULL: leave or leave out */
	const char *calibrated;	/* where the value comes from, without quotes and backslashes */
};

/*
 * @text with @edit made. A figure that was written as its value alone becomes a
 * mapping; `published:` and `calibrated:` are replaced, or else put behind the value.
 * Return: malloc()ed; NULL if @text has no figure at that path.
 */
char *figure_edit(const char *text, const struct figure_edit *edit);

/*
 * @text with an empty list of `accuracy:` records: they were of other figures.
 * Return: malloc()ed; a copy if there are no records, NULL if it is no mapping.
 */
char *accuracy_clear(const char *text);

#endif
