/*
 * host_info.c - see host_info.h
 */
#include "engine/host_info.h"

#include <hwloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "engine/memory.h"

#define BUSY_PERCENT 50 /* load average per core above which a warning is due */

int
host_cores(void)
{
	cpu_set_t set;
	int cores = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return max(cores, 1);
}

/*
 * Value of the first line "key : value" of /proc/cpuinfo. Return: malloc()ed, or
 * NULL.
 */
static char *
cpuinfo(const char *key)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	char *value = NULL;
	size_t room = 0;

	while (file && !value && getline(&line, &room, file) > 0) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(line, key, strlen(key)))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		value = xstrndup(colon, strcspn(colon, "\n"));
	}
	free(line);
	if (file)
		fclose(file);
	return value;
}

static bool
is_virtualised(void)
{
	char *flags = cpuinfo("flags");
	bool found = flags && strstr(flags, " hypervisor");

	free(flags);
	return found;
}

/* First line of a small file. Return: malloc()ed, or NULL. */
static char *
first_line(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	if (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
	} else {
		free(line);
		line = NULL;
	}
	fclose(file);
	return line;
}

/* "0.53 0.42 ..." in hundredths. */
static u64
load_percent(void)
{
	char *line = first_line("/proc/loadavg");
	unsigned int whole = 0;
	unsigned int hundredths = 0;

	if (line && sscanf(line, "%u.%2u", &whole, &hundredths) != 2)
		whole = hundredths = 0;
	free(line);
	return 100ull * whole + hundredths;
}

static char *
topology(void)
{
	hwloc_topology_t made;
	char text[512];
	int length = -1;

	if (hwloc_topology_init(&made))
		return xstrdup("unknown");
	if (!hwloc_topology_load(made))
		length = hwloc_topology_export_synthetic(made, text, sizeof(text), 0);
	hwloc_topology_destroy(made);
	return xstrdup(length > 0 ? text : "unknown");
}

void
host_info_collect(struct host_info *host)
{
	struct utsname name;

	memset(host, 0, sizeof(*host));
	host->cpu = cpuinfo("model name");
	if (!host->cpu)
		host->cpu = xstrdup("unknown");
	host->vendor = cpuinfo("vendor_id");
	if (!host->vendor)
		host->vendor = xstrdup("unknown");
	host->topology = topology();
	host->kernel = uname(&name) ? xstrdup("unknown")
				    : xasprintf("%s %s", name.sysname, name.release);
	host->cores = host_cores();
	host->virtualised = is_virtualised();
	host->load_percent = load_percent();
	host->started = time(NULL);
}

void
host_info_clear(struct host_info *host)
{
	free(host->cpu);
	free(host->vendor);
	free(host->topology);
	free(host->kernel);
	for (int i = 0; i < host->nr_warnings; i++)
		free(host->warnings[i]);
	memset(host, 0, sizeof(*host));
}

void
host_info_warn(struct host_info *host, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	if (host->nr_warnings == HOST_MAX_WARNINGS)
		return;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0)
		host->warnings[host->nr_warnings++] = text;
	va_end(args);
}

void
host_info_check(struct host_info *host, int most_tasks)
{
	char *governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");

	if (most_tasks > host->cores)
		host_info_warn(host, "%d tasks share %d cores", most_tasks, host->cores);
	if (host->load_percent > (u64)BUSY_PERCENT * host->cores)
		host_info_warn(host, "the host is busy: load %llu.%02llu on %d cores",
			       (unsigned long long)host->load_percent / 100,
			       (unsigned long long)host->load_percent % 100, host->cores);
	if (governor && strcmp(governor, "performance"))
		host_info_warn(host, "frequency governor is '%s', not 'performance'", governor);
	free(governor);
}
