/*
 * entries.c - see entries.h
 */
#include "engine/probe/entries.h"

#include <stdlib.h>
#include <string.h>

#include "engine/memory.h"
#include "engine/probe/batch.h"
#include "engine/probe/text.h"

#define NS FS_PER_NS
#define NO_FIGURE (-1)	/* no probe measures it */

#define ROUND "a round number of the usual size"
#define ROUND_TRIP "half a round trip by cmpxchg"
#define HOLD_SPREAD "spread: 25%"

/* An entry that is a time. */
struct rule {
	const char *path;
	int figure;
	const char *how;	/* it is measured */
	u64 otherwise;		/* femtoseconds; 0: what the entry before got */
	const char *why;	/* that, if the figure is missing */
};

/* `hit` says by itself how; transfers go from near to far. */
static const struct rule rules[] = {
	{ "hit", FIGURE_HIT, NULL, NS / 2, "a read took no longer than its parts" },
	{ "atomic", GAUGE_ADD, "locked additions to one line", 5 * NS, ROUND },
	{ "pause", GAUGE_PAUSE, "cpu_relax()", 10 * NS, ROUND },
	{ "fence", GAUGE_FENCE, "smp_mb() with no store to drain", 5 * NS, ROUND },

	{ "transfer.smt", FIGURE_DISTANCE + DISTANCE_SMT, ROUND_TRIP, 10 * NS,
	  "no two threads of a core to measure; " ROUND },
	{ "transfer.cluster", FIGURE_DISTANCE + DISTANCE_CLUSTER, ROUND_TRIP, 50 * NS,
	  "no two cores of a cluster to measure; " ROUND },
	{ "transfer.socket", FIGURE_DISTANCE + DISTANCE_SOCKET, ROUND_TRIP, 0,
	  "no two clusters of a socket to measure; as transfer.cluster" },
	{ "transfer.remote", FIGURE_DISTANCE + DISTANCE_REMOTE, ROUND_TRIP, 0,
	  "no two sockets to measure; as transfer.socket" },
	{ "dram.local", NO_FIGURE, NULL, 100 * NS, ROUND },
	{ "dram.remote", NO_FIGURE, NULL, 150 * NS, ROUND },
	{ "copy_occupancy", NO_FIGURE, NULL, 10 * NS, "as in calibrated files" },
	{ "hold", NO_FIGURE, NULL, 10 * NS, "between 5.5 and 23 ns in calibrated files" },

	{ "costs.syscall", GAUGE_SYSCALL, "getppid(2)", 100 * NS, ROUND },
	{ "costs.switch", FIGURE_SWITCH, "sched_yield(2) to another thread, beyond a system call",
	  1000 * NS, "sched_yield(2) did not switch; " ROUND },
	{ "costs.wake", FIGURE_WAKE,
	  "futex(2) that wakes a thread of another core, beyond a system call", 600 * NS,
	  "no two cores to measure; " ROUND },
	{ "costs.wake_latency", FIGURE_WAKE_LATENCY,
	  "half a round trip of such wake-ups, beyond the waker's call", 1200 * NS,
	  "no two cores to measure; " ROUND },
	{ "costs.idle_enter", NO_FIGURE, NULL, 500 * NS, ROUND },
	{ "costs.ipi", FIGURE_IPI,
	  "membarrier(2) that interrupts another core and waits, beyond a system call", 1000 * NS,
	  "no two cores to measure, or no membarrier(2); " ROUND },
	{ "costs.grace_period", NO_FIGURE, NULL, 200000 * NS, "as in the other machine files" },
	{ "costs.copy_start", FIGURE_COPY, "memcpy of 64 bytes, without one hit", NS, ROUND },
	{ "costs.copy_per_64B", NO_FIGURE, NULL, 400, "as in the other machine files" },
	{ "costs.alloc", NO_FIGURE, NULL, 50 * NS, ROUND },
	{ "costs.file", NO_FIGURE, NULL, 250 * NS, ROUND },
	{ "costs.path_name", NO_FIGURE, NULL, 50 * NS, ROUND },
	{ "costs.security", FIGURE_SECURITY,
	  "pread(2) of 64 bytes of a memfd, beyond a system call and the mini-kernel's pread",
	  20 * NS, ROUND },
	{ "costs.getattr", FIGURE_GETATTR,
	  "fstat(2) of a memfd, beyond a system call and the mini-kernel's fstat", 60 * NS,
	  "as in calibrated files" },
};

/* What goes by who made the processor, and who says so. */
static const struct vendor {
	const char *name;
	const char *protocol;
	const char *protocol_says;
	const char *home_rule;
	const char *home_rule_says;
} vendors[] = {
	{ "AuthenticAMD", "moesi", "AMD64 Architecture Programmer's Manual, volume 2, section 7.3",
	  "true", "https://github.com/nviennot/core-to-core-latency issue 97" },
	{ "GenuineIntel", "mesif", "Molka et al., ICPP 2015, https://doi.org/10.1109/ICPP.2015.83",
	  "false", "https://github.com/KCORES/core-to-core-latency-plus at 264ea0a1" },
	{ NULL, "mesi", "the simplest, for a vendor that is not known here", "false",
	  "the simplest, for a vendor that is not known here" },
};

static struct entry *
add(struct entries *entries, const char *path, const char *key, char *value)
{
	struct entry *entry = &entries->entry[entries->count++];

	*entry = (struct entry){ .path = path, .key = key, .value = value };
	return entry;
}

static void
add_plain(struct entries *entries, const char *path, char *value)
{
	add(entries, path, NULL, value);
}

/* What no probe measures, with the reason for @value. */
static void
add_unmeasured(struct entries *entries, const char *path, const char *value, const char *why)
{
	struct entry *entry = add(entries, path, "value", xstrdup(value));

	entry->source = xasprintf("not measured: %s", why);
}

/* Text in double quotes. */
static char *
quoted(const char *text)
{
	char *quote = xcalloc(2 * strlen(text) + 3, 1);
	char *to = quote;

	*to++ = '"';
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		*to++ = (unsigned char)*text < ' ' ? ' ' : *text;
	}
	*to = '"';
	return quote;
}

static char *
measured_source(const struct figures *figures, int figure, const char *low, const char *high,
		const char *how)
{
	return xasprintf("engine probe, median of %d, interval %s..%s: %s",
			 figures->samples[figure], low, high, how);
}

static void
add_clock(struct entries *entries, const struct figures *figures)
{
	const struct summary *cycle = &figures->summary[GAUGE_CYCLE];
	char text[TEXT_SIZE];
	char slow[TEXT_SIZE];
	char fast[TEXT_SIZE];
	struct entry *entry =
		add(entries, "clock", "value", xstrdup(text_clock(text, cycle->median)));

	text_clock(slow, figure_high(cycle));
	text_clock(fast, figure_low(cycle));
	entry->source = measured_source(figures, GAUGE_CYCLE, slow, fast,
					"dependent additions, one a cycle");
}

static void
add_facts(struct entries *entries, const struct host_facts *host)
{
	static const char *const counts[LEVEL_MAX] = {
		[LEVEL_SOCKET] = "topology.sockets",
		[LEVEL_CLUSTER] = "topology.clusters_per_socket",
		[LEVEL_CORE] = "topology.cores_per_cluster",
		[LEVEL_THREAD] = "topology.threads_per_core",
	};

	add_plain(entries, "name", xstrdup("probed"));
	add_plain(entries, "about", quoted(host->cpu));
	for (enum level level = LEVEL_SOCKET; level < LEVEL_MAX; level++)
		add_plain(entries, counts[level], xasprintf("%d", host->width[level]));
	add_plain(entries, "topology.source", quoted("hwloc, on this computer"));
}

/* The last one is for all others. */
static const struct vendor *
find_vendor(const char *name)
{
	const struct vendor *vendor = vendors;

	while (vendor->name && strcmp(vendor->name, name))
		vendor++;
	return vendor;
}

static void
add_unmeasured_facts(struct entries *entries, const struct host_facts *host)
{
	const struct vendor *vendor = find_vendor(host->vendor);

	add_unmeasured(entries, "protocol", vendor->protocol, vendor->protocol_says);
	add_unmeasured(entries, "home_rule", vendor->home_rule, vendor->home_rule_says);
	if (host->width[LEVEL_THREAD] > 1)
		add_unmeasured(entries, "smt_slowdown", "170%",
			       "165 and 170 % in calibrated files");
}

static char *
hit_how(const struct access_counts *counts)
{
	return xasprintf("pread of 64 bytes by the mini-kernel without its %llu locked operations "
			 "and its copy, for each of the other %llu accesses",
			 (unsigned long long)counts->atomics, (unsigned long long)counts->hits - 1);
}

/* Return: the time that the entry got. */
static u64
add_time(struct entries *entries, const struct rule *rule, const struct figures *figures,
	 const char *how, u64 before_fs)
{
	bool measured = rule->figure != NO_FIGURE && figures->samples[rule->figure];
	u64 otherwise = rule->otherwise ? rule->otherwise : before_fs;
	u64 fs = measured ? figures->summary[rule->figure].median : otherwise;
	char text[TEXT_SIZE];
	char low[TEXT_SIZE];
	char high[TEXT_SIZE];
	bool hold = !strcmp(rule->path, "hold");
	struct entry *entry =
		add(entries, rule->path, hold ? "mean" : "cost", xstrdup(text_time(text, fs)));

	entry->more = hold ? HOLD_SPREAD : NULL;
	if (measured) {
		text_time(low, figure_low(&figures->summary[rule->figure]));
		text_time(high, figure_high(&figures->summary[rule->figure]));
		entry->source = measured_source(figures, rule->figure, low, high, how);
		return fs;
	}
	entry->source = xasprintf("not measured: %s", rule->why);
	if (rule->figure != NO_FIGURE)
		entry->lack = rule->why;
	return fs;
}

void
entries_make(const struct host_facts *host, const struct access_counts *counts,
	     const struct figures *figures, struct entries *entries)
{
	char *how = hit_how(counts);
	u64 fs = 0;

	memset(entries, 0, sizeof(*entries));
	add_facts(entries, host);
	add_clock(entries, figures);
	add_unmeasured_facts(entries, host);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		fs = add_time(entries, &rules[i], figures, rules[i].how ? rules[i].how : how, fs);
	free(how);
}

void
entries_clear(struct entries *entries)
{
	for (int i = 0; i < entries->count; i++) {
		free(entries->entry[i].value);
		free(entries->entry[i].source);
	}
	memset(entries, 0, sizeof(*entries));
}
