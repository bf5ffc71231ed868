/*
 * peak_memory.c - peak_memory LIMIT NAME COMMAND...: what the largest process of COMMAND took
 *
 * Peak resident memory, in MB, of the command or of the largest of the children
 * that it waited for: a point runs in one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct rusage usage;
	double limit, peak;
	int status;
	pid_t child;

	if (argc < 4) {
		fprintf(stderr, "usage: peak_memory LIMIT NAME COMMAND...\n");
		return 2;
	}
	limit = atof(argv[1]);
	child = fork();
	if (!child) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(127);
		execv(argv[3], argv + 3);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status) {
		fprintf(stderr, "peak_memory: %s failed\n", argv[3]);
		return 1;
	}
	peak = usage.ru_maxrss * 1024 / 1e6;
	printf("%-58s %6.1f MB  limit %.0f MB: %s\n", argv[2], peak, limit,
	       peak <= limit ? "holds" : "MISSED");
	return peak > limit;
}
