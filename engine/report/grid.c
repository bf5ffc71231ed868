/*
 * grid.c - see grid.h
 */
#include "engine/report/grid.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"

/* Continuation bytes of UTF-8 take no column. */
static int
text_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text >> 6) != 2;
	return width;
}

void
grid_cell(struct grid *grid, const char *text)
{
	int column = grid->nr_cells % grid->columns;

	grid->width[column] = max(grid->width[column], text_width(text));
	grid->cells = xrealloc(grid->cells, (grid->nr_cells + 1) * sizeof(*grid->cells));
	grid->cells[grid->nr_cells++] = xstrdup(text);
}

void
grid_column(struct grid *grid, const char *header, int min_width, bool group)
{
	int column = grid->columns++;

	grid->width = xrealloc(grid->width, grid->columns * sizeof(*grid->width));
	grid->group = xrealloc(grid->group, grid->columns * sizeof(*grid->group));
	grid->width[column] = min_width;
	grid->group[column] = group;
	grid_cell(grid, header);
}

/* Columns of the row that starts at @cells without the empty ones at its end. */
static int
filled_columns(const struct grid *grid, char **cells)
{
	int columns = grid->columns;

	while (columns && !*cells[columns - 1])
		columns--;
	return columns;
}

static void
print_row(const struct grid *grid, char **cells, FILE *out)
{
	int columns = filled_columns(grid, cells);

	for (int i = 0; i < columns; i++) {
		fputs(grid->group[i] ? " | " : i ? "  " : " ", out);
		fprintf(out, "%*s%s", grid->width[i] - text_width(cells[i]), "", cells[i]);
	}
	fputc('\n', out);
}

void
grid_print(const struct grid *grid, FILE *out)
{
	for (size_t i = 0; i + grid->columns <= grid->nr_cells; i += grid->columns)
		print_row(grid, grid->cells + i, out);
}

void
grid_clear(struct grid *grid)
{
	for (size_t i = 0; i < grid->nr_cells; i++)
		free(grid->cells[i]);
	free(grid->cells);
	free(grid->width);
	free(grid->group);
	memset(grid, 0, sizeof(*grid));
}
