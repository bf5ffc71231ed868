#!/bin/sh
# calibrate.sh - `engine calibrate` from outside: blind, deterministic, and it finds what is there
#
# ENGINE is the program to use; run from the repository's root. The last line is
# "N passed, N failed".

engine=${ENGINE:-build/engine}
command=calibrate
# shellcheck disable=SC1091
. tests/counting.sh
# shellcheck disable=SC1091
. tests/cli/command.sh

# table NAME BASE1 BASE4 PREDICTED1 PREDICTED4 - a small workload with a published table.
table() {
	cat >"$work/$1.yaml" <<-END
		name: tiny
		machine: toy-4
		kernel: "6.15"
		tasks: [1, 4]
		memory: 8MiB
		files:
		  - { path: /file, on: tmpfs, size: 4KiB }
		setup:
		  - open: { path: /file, fd: file }
		loop:
		  - pread: { fd: file, bytes: 64, offset: 0 }
		variants:
		  - { name: vanilla, policy: { page_ref: cas-loop } }
		  - { name: patched, policy: { page_ref: locked-bit } }
		measure:
		  virtual: { warmup: auto, operations: 200, seeds: 1 }
		published:
		  machine: toy-4
		  unit: ops/s
		  columns: [vanilla, patched]
		  rows:
		    - [1, $2, $4]
		    - [4, $3, $5]
	END
}

# rate FILE TASKS - what the base column of a CSV says.
rate() {
	awk -F, -v tasks="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["variant"] == "vanilla" && $at["tasks"] == tasks { print $at["median"] }' "$1"
}

# Grace periods of no length: with poisoning, the end of one would lie inside the window.
toy=$work/toy-4.yaml
sed '/grace_period:/d' workloads/machines/toy-4.yaml >"$toy"
quick="--machine $toy --evaluations 4 --operations 200"

says "no machine" 2 "--machine is missing" workloads/pread64.yaml
says "unknown machine" 2 "no machine 'toy-5'" workloads/pread64.yaml --machine toy-5
says "the host" 4 "the host is measured" workloads/pread64.yaml --machine host
says "unknown workload" 2 "did you mean 'pread64'?" pread46 --machine toy-4
says "another machine's table" 2 "is published for e5-2690v3-2s, not for toy-4" \
	pread64 --machine toy-4
says "nothing published" 2 "publishes no rates" pread64-private --machine toy-4
says "no evaluations" 2 "--evaluations" pread64 --machine toy-4 --evaluations 0
table plain 2000000 1500000 2100000 1600000
says "output that cannot be written" 2 "-o: " "$work/plain.yaml" $quick -o "$work/none/m.yaml"
sed 's/fit: \[[^]]*\]/source: a book/; /syscall:/d' "$toy" >"$work/fixed.yaml"
says "nothing to fit" 2 "has no figure with" "$work/plain.yaml" --machine "$work/fixed.yaml"
"$engine" calibrate --help >"$work/out" 2>"$work/err"
grep -q -- '--sensitivity' "$work/out"
result "help lists its options" $?

# The column that is predicted holds other numbers; the machine file must not notice.
table other 2000000 1500000 1 999999999
table base 2000000 1600000 2100000 1600000
try "$work/plain.yaml" $quick -o "$work/plain.out" --jobs 1
[ "$status" = 0 ] && grep -q 'patched (predicted)' "$work/out" && ! grep -qv "WARNING: ASan" "$work/err"
result "a calibration prints its errors and nothing else (exit $status)" $?
[ "$(find "$work" -name 'plain.out*' | wc -l)" = 1 ]
result "no temporary file is left" $?
cp "$work/out" "$work/plain.tables"
try "$work/other.yaml" $quick -o "$work/other.out" --jobs 1
cmp -s "$work/plain.out" "$work/other.out"
result "other predictions, same machine file" $?
! cmp -s "$work/out" "$work/plain.tables"
result "other predictions, other errors" $?
try "$work/base.yaml" $quick -o "$work/base.out"
! cmp -s "$work/plain.out" "$work/base.out"
result "another base column, another machine file" $?
try "$work/plain.yaml" $quick -o "$work/jobs.out" --jobs 3
cmp -s "$work/plain.out" "$work/jobs.out" && cmp -s "$work/out" "$work/plain.tables"
result "equal bytes for any number of jobs" $?
try "$work/plain.yaml" $quick -o - --quiet
cmp -s "$work/out" "$work/plain.out"
result "the machine file alone on stdout" $?

# Records of how far off the old figures were: nothing looks at them, and they are not passed on.
for error in 1 900; do
	cp "$toy" "$work/recorded.yaml"
	cat >>"$work/recorded.yaml" <<-END
		accuracy: # when 1 and 4 tasks were compared
		  - { workload: tiny, column: vanilla, error: $error% }
		  - { workload: tiny, column: patched, error: $error% }
	END
	try "$work/plain.yaml" $quick --machine "$work/recorded.yaml" -o "$work/recorded.out"
	grep -v '^accuracy' "$work/recorded.out" | cmp -s - "$work/plain.out" &&
		grep -q '^accuracy: \[\]$' "$work/recorded.out"
	result "a recorded error of $error %, same machine file, no records" $?
done

# With `base: all` both columns are seen, and none is predicted.
for name in plain other; do
	sed 's/^  unit: ops.s/&\n  base: all/' "$work/$name.yaml" >"$work/all-$name.yaml"
done
try "$work/all-plain.yaml" $quick -o "$work/all-plain.out"
[ "$status" = 0 ] && grep -q 'patched (base)' "$work/out" && ! grep -q predicted "$work/out" &&
	grep -qF '(columns vanilla, patched, mean error ' "$work/all-plain.out"
result "a base of all columns (exit $status)" $?
try "$work/all-other.yaml" $quick -o "$work/all-other.out"
! cmp -s "$work/all-plain.out" "$work/all-other.out"
result "another column of it, another machine file" $?

# What is written: the old file with new figures.
grep -v '^hold:\|syscall:' "$toy" >"$work/rest"
grep -v '^hold:\|syscall:' "$work/plain.out" | cmp -s - "$work/rest"
result "everything else is as it was" $?
grep -q '^hold: { mean: .*, calibrated: "fitted to tiny (column vanilla, ' "$work/plain.out"
result "a fitted figure says what it was fitted to" $?
cp "$work/plain.out" "$work/fitted.yaml"
"$engine" validate --quiet "$work/fitted.yaml" >"$work/out" 2>"$work/err"
result "the machine file is right" $?

# A machine with a hold of 30 ns makes a table; from 10 ns the search finds its way there.
sed 's/mean: 10ns/mean: 30ns/; s/syscall: 100ns/syscall: 300ns/' "$toy" >"$work/machine.yaml"
"$engine" run "$work/plain.yaml" --machine "$work/machine.yaml" --csv "$work/truth.csv" \
	--set measure.virtual.operations=1000 >"$work/out" 2>"$work/err"
table truth "$(rate "$work/truth.csv" 1)" "$(rate "$work/truth.csv" 4)" 1 1
try "$work/truth.yaml" --sensitivity $quick --evaluations 30 --operations 1000
awk '$1 == "hold" && $2 == "|" && !hold { hold = $4 }
	$1 == "costs.syscall" && !cost { cost = $4 }
	END { exit !(hold + 0 >= 27 && hold + 0 <= 33 && cost + 0 >= 297 && cost + 0 <= 303) }' \
	"$work/out"
result "the figures that made a table are found from it" $?
grep -q '^sensitivity' "$work/out" && [ "$(grep -c '^ costs.syscall' "$work/out")" = 3 ]
result "sensitivity has two rows for each figure" $?

# Nothing to change in the machine that made the table: what it recorded still holds.
echo 'accuracy: [{ workload: tiny, column: vanilla, error: 0% }]' >>"$work/machine.yaml"
try "$work/truth.yaml" --machine "$work/machine.yaml" --evaluations 1 --operations 1000 \
	-o "$work/kept.out"
[ "$status" = 0 ] && tail -n 1 "$work/kept.out" | grep -q '^accuracy: \[{ workload: tiny, .* }\]$'
result "unchanged figures keep their records (exit $status)" $?

close_count
