#!/bin/sh
# probe.sh - `engine probe` from outside: a file that loads and runs, or none
#
# ENGINE is the program to use; run from the repository's root. The last line is
# "N passed, N failed".

engine=${ENGINE:-build/engine}
command=probe
# shellcheck disable=SC1091
. tests/counting.sh
# shellcheck disable=SC1091
. tests/cli/command.sh

says "no time" 2 "--seconds" --seconds 0
says "no number" 2 "--seconds" --seconds soon
says "an argument" 2 "unexpected argument 'host'" host
says "an unknown option" 2 "did you mean '--seconds'?" --second 1
says "a file that cannot be written" 2 "-o: " -o "$work/none/m.yaml"
says "a folder" 2 "-o: " -o "$work"

try --seconds 1 -o "$work/m.yaml"
[ "$status" = 0 ] && [ -s "$work/m.yaml" ]
result "a probe writes a machine file (exit 0, got $status)" $?
grep -q ' hit |' "$work/out" && grep -q 'system call |' "$work/out"
result "and prints a table" $?
! grep -vE '^engine probe: |WARNING: ASan' "$work/err" >"$work/other"
result "and nothing else on stderr" $?
[ "$(find "$work" -name 'm.yaml*' | wc -l)" = 1 ]
result "no temporary file is left" $?
missing=$(grep -c '^engine probe: not measured: ' "$work/err")
[ "$missing" = "$(grep -c '^# not measured: ' "$work/m.yaml")" ]
result "what is missing is said in both places" $?
cp "$work/m.yaml" "$work/made.yaml"
"$engine" validate --quiet "$work/made.yaml" >"$work/out" 2>"$work/err"
result "the file is right" $?
"$engine" run pread64 --machine "$work/made.yaml" --tasks 1 --quiet \
	--set measure.virtual.operations=200 >"$work/out" 2>"$work/err"
result "and a workload runs on it" $?

try --seconds 1 -o -
[ "$status" = 0 ] && grep -q '^topology:' "$work/out" && ! grep -q ' hit |' "$work/out"
result "the machine file alone on stdout" $?
cp "$work/out" "$work/stdout.yaml"
"$engine" validate --quiet "$work/stdout.yaml" >"$work/out" 2>"$work/err"
result "that is right, too" $?

"$engine" probe --seconds 20 -o "$work/stopped.yaml" >"$work/out" 2>"$work/err" &
sleep 1
kill -TERM $!
wait $!
status=$?
[ "$status" = 6 ] && [ ! -s "$work/out" ] && [ -z "$(find "$work" -name 'stopped.yaml*')" ]
result "a probe that is stopped leaves nothing (exit 6, got $status)" $?

close_count
