/*
 * table.c - see table.h
 */
#include "engine/probe/table.h"

#include <stdlib.h>

#include "engine/memory.h"
#include "engine/probe/text.h"
#include "engine/report/grid.h"

/* What each figure is, in the order of the table. */
static const struct {
	int figure;
	const char *name;
} rows[] = {
	{ GAUGE_CYCLE, "core cycle" },
	{ GAUGE_ADD, "locked add" },
	{ GAUGE_CMPXCHG, "cmpxchg" },
	{ GAUGE_PAUSE, "pause" },
	{ GAUGE_FENCE, "full fence" },
	{ GAUGE_COPY, "copy of 64 bytes" },
	{ GAUGE_READ, "mini-kernel's pread of 64 bytes" },
	{ GAUGE_FSTAT, "mini-kernel's fstat" },
	{ FIGURE_HIT, "hit" },
	{ FIGURE_DISTANCE + DISTANCE_SMT, "hand-over to a sibling thread" },
	{ FIGURE_DISTANCE + DISTANCE_CLUSTER, "hand-over inside a cluster" },
	{ FIGURE_DISTANCE + DISTANCE_SOCKET, "hand-over between clusters" },
	{ FIGURE_DISTANCE + DISTANCE_REMOTE, "hand-over between sockets" },
	{ GAUGE_SYSCALL, "system call" },
	{ GAUGE_HOST_READ, "this kernel's pread of 64 bytes" },
	{ GAUGE_HOST_FSTAT, "this kernel's fstat" },
	{ FIGURE_SWITCH, "context switch" },
	{ FIGURE_WAKE, "wake-up, waker's part" },
	{ FIGURE_WAKE_LATENCY, "wake-up, until the woken runs" },
	{ FIGURE_IPI, "interrupt and answer" },
};

static void
add_row(struct grid *grid, const struct figures *figures, int figure, const char *name)
{
	const struct summary *summary = &figures->summary[figure];
	char text[TEXT_SIZE];

	grid_cell(grid, name);
	if (!figures->samples[figure]) {
		grid_cell(grid, "not measured");
		for (int i = 0; i < 4; i++)
			grid_cell(grid, "");
		return;
	}
	grid_cell(grid, text_time(text, summary->median));
	grid_cell(grid, text_time(text, figure_low(summary)));
	grid_cell(grid, text_time(text, figure_high(summary)));
	grid_cell(grid, text_cycles(text, summary->median, figures->summary[GAUGE_CYCLE].median));
	snprintf(text, sizeof(text), "%d", figures->samples[figure]);
	grid_cell(grid, text);
}

static void
print_figures(const struct figures *figures, FILE *out)
{
	struct grid grid = { 0 };

	grid_column(&grid, "figure", 0, false);
	grid_column(&grid, "median", 0, true);
	grid_column(&grid, "from", 0, false);
	grid_column(&grid, "to", 0, false);
	grid_column(&grid, "cycles", 0, true);
	grid_column(&grid, "samples", 0, true);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add_row(&grid, figures, rows[i].figure, rows[i].name);
	grid_print(&grid, out);
	grid_clear(&grid);
}

static void
add_cpu_column(struct grid *grid, const struct host_cpu *cpu)
{
	char text[TEXT_SIZE];

	snprintf(text, sizeof(text), "%u", cpu->os_index);
	grid_column(grid, text, 0, false);
}

static void
add_matrix_cell(const struct probe *probe, struct grid *grid, int a, int b)
{
	char text[TEXT_SIZE];

	for (int i = 0; i < probe->pairs.count; i++) {
		const struct pair *pair = &probe->pairs.pair[i];

		if (pair->a == min(a, b) && pair->b == max(a, b)) {
			grid_cell(grid, text_time(text, figure_of_pair(probe, i)));
			return;
		}
	}
	grid_cell(grid, "-");
}

static void
print_matrix(const struct probe *probe, FILE *out)
{
	const struct layout *layout = &probe->layout;
	struct grid grid = { 0 };
	char text[TEXT_SIZE];

	fputs("\nhand-overs between CPUs\n", out);
	grid_column(&grid, "CPU", 0, false);
	for (int i = 0; i < layout->nr_cpus; i++)
		add_cpu_column(&grid, &layout->cpus[i]);
	for (int a = 0; a < layout->nr_cpus; a++) {
		snprintf(text, sizeof(text), "%u", layout->cpus[a].os_index);
		grid_cell(&grid, text);
		for (int b = 0; b < layout->nr_cpus; b++)
			add_matrix_cell(probe, &grid, a, b);
	}
	grid_print(&grid, out);
	grid_clear(&grid);
}

void
probe_print(const struct probe *probe, const struct figures *figures, const char *cpu, FILE *out)
{
	const int *width = probe->layout.width;

	fprintf(out, "%s · sockets %d, clusters %d, cores %d, threads %d\n", cpu,
		width[LEVEL_SOCKET], width[LEVEL_CLUSTER], width[LEVEL_CORE], width[LEVEL_THREAD]);
	print_figures(figures, out);
	fprintf(out,
		" a pread of the mini-kernel: %llu accesses, %llu locked operations, %llu fences\n",
		(unsigned long long)probe->counts->hits, (unsigned long long)probe->counts->atomics,
		(unsigned long long)probe->counts->fences);
	if (probe->pairs.complete && probe->pairs.count)
		print_matrix(probe, out);
}
