#!/bin/sh
# run.sh BUILD - every benchmark of `ninja bench`, against the program in BUILD
#
# Ratios hold or are MISSED; the rest is printed for the reader. Exit 0 if all hold.

build=$1
missed=0
[ -x "$build/engine" ] || {
	echo "usage: tests/bench/run.sh BUILD" >&2
	exit 2
}

"$build/bench/host_pread" cas-loop || missed=1
"$build/bench/host_pread" locked-bit || missed=1
"$build/bench/host_open" || missed=1
"$build/bench/virtual_storm" || missed=1

# seconds COMMAND... - wall-clock seconds with two decimals
seconds() {
	start=$(date +%s%N)
	"$@" >/dev/null || missed=1
	end=$(date +%s%N)
	echo "$start $end" | awk '{ printf "%.2f", ($2 - $1) / 1e9 }'
}

# Modelled system calls per second of one core: the window's operations and the
# warm-up's three rounds, over the time of the whole command.
for tasks in 24 353; do
	time=$(seconds "$build/engine" run workloads/pread64-epyc.yaml --quiet --tasks $tasks \
		--variant vanilla --jobs 1 --set measure.virtual.operations=40000 \
		--set measure.virtual.seeds=1)
	echo "$time $tasks" | awk '{ printf "modelled pread64 of one host core, %d tasks: %d per second\n",
		$2, (40000 + 3 * $2) / $1 }'
done

# table LIMIT NAME WORKLOAD: the whole command, as a user runs it
table() {
	time=$(seconds "$build/engine" run "workloads/$3.yaml" --quiet)
	verdict=$(echo "$time $1" | awk '{ print $1 <= $2 ? "holds" : "MISSED" }')
	[ "$verdict" = holds ] || missed=1
	printf '%-58s %6s s  limit %s s: %s\n' "$2" "$time" "$1" "$verdict"
}
table 5 "the whole pread64 table (10 rows, 8,000 operations, 3 seeds)" pread64
table 3 "the whole EPYC table (8,000 operations, 3 seeds)" pread64-epyc

# The largest machine, every CPU with a task.
for as in threads processes; do
	"$build/bench/peak_memory" 200 "memory of pread64 on 1,024 CPUs, $as" \
		"$build/engine" run workloads/pread64.yaml --machine tests/bench/cpus-1024.yaml --quiet \
		--tasks 1024 --set as=$as --set measure.virtual.seeds=1 || missed=1
done
exit $missed
