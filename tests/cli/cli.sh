#!/bin/sh
# cli.sh - the program from outside: exit codes, messages, clean stdout, equal bytes
#
# ENGINE and JSON_CHECK are the programs to use; run from the repository's root.
# The last line is "N passed, N failed".

engine=${ENGINE:-build/engine}
json_check=${JSON_CHECK:-build/tests/json_check}
command=
root=$(pwd)
# shellcheck disable=SC1091
. tests/counting.sh
# shellcheck disable=SC1091
. tests/cli/command.sh

# exits NAME STATUS ARGUMENT...
exits() {
	name=$1
	wanted=$2
	shift 2
	try "$@"
	[ "$status" = "$wanted" ]
	result "$name (exit $wanted, got $status)" $?
}

# A run that takes no time: every test below that runs something uses it.
quick="--set measure.virtual.operations=200 --set measure.virtual.seeds=2"
toy="workloads/pread64.yaml --machine toy-4 --tasks 1,2 $quick"
on_host="--machine host --set measure.host.warmup=5ms --set measure.host.duration=100ms --set measure.host.repeats=6"

exits "no command is a usage error" 2
exits "help is no error" 0 --help
grep -q '^usage: engine' "$work/out"
result "help goes to stdout" $?
exits "help of a command" 0 run --help
grep -q -- '--no-host' "$work/out"
result "help of a command lists its options" $?
exits "version" 0 version
exits "--version" 0 --version
exits "list" 0 list
for section in workloads machines policies operations; do
	exits "list $section" 0 list $section
done
exits "describe a family" 0 describe page_ref
exits "describe a choice" 0 describe cas-loop
exits "describe an operation" 0 describe pread
exits "describe a workload" 0 describe pread64
exits "describe a machine" 0 describe toy-4
exits "validate shows the resolved file" 0 validate workloads/pread64.yaml
exits "validate a machine" 0 validate workloads/machines/toy-4.yaml
for file in workloads/*.yaml workloads/*/*.yaml; do
	exits "$file is valid" 0 validate --quiet "$file"
done

says "unknown command" 2 "unknown command 'rnu' (did you mean 'run'?)" rnu
says "unknown option" 2 "unknown option '--taks' (did you mean '--tasks'?)" run x --taks 1
says "missing file" 2 "No such file" run nothing.yaml
says "folder as a file" 2 "no workload" run workloads
says "unknown workload" 2 "did you mean 'pread64'?" run pread46
says "unknown variant" 2 "no variant 'patchd'" run workloads/pread64.yaml --variant patchd
says "unknown machine" 2 "machine" run workloads/pread64.yaml --machine toy-5
says "--set without a value" 2 "path=value" run workloads/pread64.yaml --set tasks
says "--set of an unknown key" 2 "frob" run workloads/pread64.yaml --set frob=1
says "bad seed" 2 "--seed" run workloads/pread64.yaml --seed x
says "unknown section" 2 "did you mean 'machines'?" list machins
says "nothing of that name" 2 "did you mean 'page_ref'?" describe page_rev
says "two outputs on stdout" 2 "stdout" run $toy --json - --csv -
says "output that cannot be written" 2 "--json" run $toy --json "$work/none/r.json"
says "more tasks than CPUs" 2 "--tasks: 5 tasks, but toy-4 has 4 CPUs" \
	run workloads/pread64.yaml --machine toy-4 --tasks 5
says "a pair that the machine has not" 2 "c2c-epyc9654.yaml:27:28: toy-4 has no pair of clusters" \
	run workloads/micro/c2c-epyc9654.yaml --machine toy-4 --variant socket
says "a CPU that the machine has not" 2 "--set place: toy-4 has no CPU 4" \
	run workloads/micro/cas-pingpong.yaml --machine toy-4 --tasks 2 --set place=0,4
says "a pair on the host" 4 "on the host, name the two CPUs" \
	run workloads/micro/c2c-epyc9654.yaml --machine host
says "a CPU that the host has not" 4 "the host has no CPU 1023" \
	run workloads/micro/cas-pingpong.yaml --machine host --tasks 2 --set place=0,1023
says "races on the host" 4 "--races" run workloads/pread64.yaml --machine host --races

exits "a virtual run" 0 run $toy
grep -q '^pread64 · .* · machine toy-4 (virtual) · threads · seed 1$' "$work/out"
result "its table has a title" $?
! grep -qv "WARNING: ASan" "$work/err" # the asan build cannot help saying that
result "nothing on stderr when it is no terminal" $?

# json_says NAME TEXT ARGUMENT... - a run whose JSON has TEXT in it.
json_says() {
	name=$1
	text=$2
	shift 2
	try run "$@" $quick --json - --no-host
	[ "$status" = 0 ] && grep -qF -- "$text" "$work/out"
	result "$name (got $status)" $?
}

json_says "open and close change a lockref four times" '"changes_per_op": 4 }' open3 --tasks 1
json_says "stat changes one twice" '"changes_per_op": 2 }' stat2 --tasks 1
json_says "fstat through the path does too" '"changes_per_op": 2 }' fstat2 --tasks 1
json_says "fstat of a descriptor does not" '"changes_per_op": 0 }' fstat2 --tasks 1 \
	--set policy.fstat_via=fd
json_says "a reference on the parent adds two" '"changes_per_op": 6 }' open3 --tasks 1 \
	--set policy.open_parent_ref=on
json_says "a name that is known to be missing does neither" '"changes_per_op": 0 }' lookup-miss \
	--tasks 1 --set 'loop[0].stat.path=/disk/missing.${task}'
json_says "a kernel sets policies" '"lockref": "cas-pause"' stat2 --tasks 1 --set kernel=6.1
try validate workloads/stat2.yaml --set kernel=6.1
grep -q 'lockref: cas-pause  *# kernel 6.1$' "$work/out"
result "validate says which value a kernel set" $?
cat >"$work/expect.yaml" <<-END
	name: expect
	machine: toy-4
	tasks: [1]
	loop:
	  - stat: { path: /, expect: enoent }
END
try run "$work/expect.yaml" $quick
[ "$status" = 1 ] && grep -q "stat (line 5), task 0: success, not ENOENT" "$work/out" "$work/err"
result "a call that should have failed (got $status)" $?

exits "JSON to stdout" 0 run $toy --json -
"$json_check" <"$work/out"
result "stdout is JSON and nothing else" $?
exits "CSV to stdout" 0 run $toy --csv - --quiet
[ "$(wc -l <"$work/out")" = 5 ] && ! grep -qv '^workload,\|^pread64,' "$work/out"
result "stdout is CSV and nothing else" $?
exits "JSON to a file" 0 run $toy --json "$work/r.json"
"$json_check" <"$work/r.json" && grep -q '^ tasks' "$work/out"
result "the file is JSON, the table is on stdout" $?
[ "$(find "$work" -name 'r.json*' | wc -l)" = 1 ]
result "no temporary file is left" $?
exits "JSON to a device" 0 run $toy --json /dev/null
exits "one variant" 0 run $toy --variant patched --csv -
[ "$(grep -c ',patched,' "$work/out")" = 2 ] && [ "$(wc -l <"$work/out")" = 3 ]
result "only that variant ran" $?

# A file as large as the memory: the modelled kernel runs out of pages.
full="--set files[0].size=8MiB --set memory=8MiB"
exits "a failed point" 1 run $toy $full --json -
[ "$(grep -c '^engine: ' "$work/err")" = 1 ] && [ "$(grep -c '^  again: ' "$work/err")" = 1 ] &&
	grep -qF 'vanilla, 1 task, seed 1 (and 3 more of 4 points): failed: ' "$work/err"
result "four points with one message are explained once" $?
"$json_check" <"$work/out" && grep -q '"status": "failed"' "$work/out"
result "its JSON says so" $?
grep -qF "again: engine run workloads/pread64.yaml --machine toy-4 --set" "$work/err"
result "how to run it again" $?

# The same bytes from another folder, environment and number of children.
try run $toy --no-host --json - --jobs 1
cp "$work/out" "$work/first.json"
(cd / && env -i FILL="$(head -c 3000 /dev/zero | tr '\0' x)" "$root/$engine" run \
	"$root"/$toy --no-host --json - --jobs 2) >"$work/out" 2>"$work/err"
cmp -s "$work/out" "$work/first.json"
result "equal seeds give equal bytes" $?
grep -q '"host": {$' "$work/first.json"
[ $? = 1 ] || ! sed -n '/^  "host"/p' "$work/first.json" | grep -q .
result "--no-host leaves the block out" $?
try run $toy --no-host --json - --seed 2
! cmp -s "$work/out" "$work/first.json"
result "another seed gives other bytes" $?

exits "a host run" 0 run workloads/pread64.yaml $on_host --tasks 1 --json - --quiet
"$json_check" <"$work/out" && grep -q '"ci95": \[' "$work/out"
result "its JSON has an interval" $?

# Installed somewhere else: the same workloads, the same bytes.
DESTDIR=$work PREFIX=/usr sh engine/install.sh "$engine" 2>"$work/err"
result "install" $?
(cd / && "$work/usr/bin/engine" run pread64 ${toy#workloads/pread64.yaml} --no-host --json -) \
	>"$work/out" 2>"$work/err"
cmp -s "$work/out" "$work/first.json"
result "an installed program finds its workloads and gives the same bytes" $?

"$engine" version >/dev/full 2>"$work/err"
[ $? = 3 ]
result "a full disk is not success" $?

close_count
