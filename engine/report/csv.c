/*
 * csv.c - one line per point, for spreadsheets and plotting scripts (RFC 4180)
 */
#include <inttypes.h>
#include <string.h>

#include "engine/report/report.h"
#include "pagecache/events.h"

static void
write_text(FILE *out, const char *text)
{
	if (!strpbrk(text, "\",\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void
write_ratio(FILE *out, u64 ratio)
{
	fprintf(out, ",%" PRIu64 ".%04" PRIu64, ratio / RATIO_ONE, ratio % RATIO_ONE);
}

static void
write_figures(FILE *out, const struct point_result *point, bool is_virtual)
{
	const struct summary *rate = &point->rate;

	fprintf(out, ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64, point->nr_rates, rate->median,
		rate->min, rate->max);
	if (rate->has_ci)
		fprintf(out, ",%" PRIu64 ",%" PRIu64, rate->ci_low, rate->ci_high);
	else
		fputs(",,", out);
	fprintf(out, ",%" PRIu64 ".%03" PRIu64, point->fairness_permille / 1000,
		point->fairness_permille % 1000);
	if (is_virtual)
		write_ratio(out, point->cmpxchg_failed);
	else
		fputc(',', out); /* real ones are not counted */
	fprintf(out, ",%" PRIu64 ",%" PRIu64, point->events[EVENT_FOLIO_LOCK],
		point->events[EVENT_FOLIO_LOCK_SLEPT]);
}

static void
write_point(FILE *out, const struct run_result *run, const struct point_result *point)
{
	write_text(out, run->workload->name);
	fputc(',', out);
	write_text(out, run->machine);
	fputc(',', out);
	write_text(out, run->workload->variants[point->variant].name);
	fprintf(out, ",%d,%s", point->tasks, point_status_name(point->status));
	if (point->status == POINT_OK)
		write_figures(out, point, run->is_virtual);
	else
		fputs(",,,,,,,,,,", out);
	if (point->has_published)
		fprintf(out, ",%" PRIu64, point->published);
	else
		fputc(',', out);
	if (point->has_published && point->status == POINT_OK)
		write_ratio(out, point->error);
	else
		fputc(',', out);
	fputc('\n', out);
}

void
report_csv(const struct run_result *run, FILE *out)
{
	fputs("workload,machine,variant,tasks,status,samples,median,min,max,ci95_low,ci95_high,"
	      "fairness,cmpxchg_failed,folio_lock_attempts,folio_lock_slept,published,error\n",
	      out);
	for (int i = 0; i < run->nr_points; i++)
		write_point(out, run, &run->points[i]);
}
