#!/bin/sh
# races.sh - the mini-kernel has no data race in any shipped workload, and no nameless line
#
# ENGINE is the program to use; run from the repository's root. Every workload
# with its own numbers of tasks and few operations; one of them in a sanitizer
# build, where all would take minutes. The last line is "N passed, N failed".

engine=${ENGINE:-build/engine}
# shellcheck disable=SC1091
. tests/counting.sh

case $("$engine" version) in
*release*) files=$(echo workloads/*.yaml workloads/micro/*.yaml) ;;
*) files=workloads/pread64.yaml ;;
esac
for file in $files; do
	"$engine" run "$file" --races --quiet --set measure.virtual.operations=100 \
		--set measure.virtual.seeds=1 --json "$work/r.json" >"$work/out" 2>"$work/err"
	result "$file" $?
	! grep -q "unnamed memory" "$work/r.json"
	result "$file: every line has a name" $?
done

close_count
