#!/bin/sh
# long.sh - the soaks behind `tests/run.sh --long`: what is worth hours, not minutes
#
# ENGINE is the program. Run from the repository's root after the release tests are
# built. The last line is "N passed, N failed".

engine=${ENGINE:-build/engine}
# shellcheck disable=SC1091
. tests/counting.sh

# Every shipped workload, all its tasks, under the race check.
for file in workloads/*.yaml workloads/*/*.yaml; do
	case $file in workloads/machines/*) continue ;; esac
	"$engine" run "$file" --races --quiet --set measure.virtual.operations=2000 \
		--set measure.virtual.seeds=1 >/dev/null 2>"$work/err"
	result "$file under --races" $?
done

# Whole tables, another number of children, another seed.
for name in pread64 pread64-epyc; do
	"$engine" run "workloads/$name.yaml" --no-host --json "$work/1.json" --jobs 1 --quiet \
		>/dev/null 2>"$work/err"
	"$engine" run "workloads/$name.yaml" --no-host --json "$work/2.json" --jobs 2 --quiet \
		>/dev/null 2>>"$work/err"
	cmp "$work/1.json" "$work/2.json" 2>>"$work/err"
	result "$name: equal bytes for any number of children" $?
done
for seed in 2 3 4 5 6 7 8; do
	"$engine" run workloads/pread64-epyc.yaml --seed $seed --quiet >/dev/null 2>"$work/err"
	result "pread64-epyc with seed $seed" $?
done

# Real races need many tries.
for test in build/tests/host/*_test; do
	for try in 1 2 3 4 5 6 7 8 9 10; do
		timeout 120 "$test" >"$work/err" 2>&1 || break
	done
	[ "$try" = 10 ]
	result "$test, ten times" $?
done

close_count
