#!/bin/sh
# mechanisms.sh - equal bytes whatever mechanisms of the model a machine file switches on or off
#
# Two sockets of two clusters of two cores of two threads, with everything on; then one
# thing changed at a time. Each file gives the same bytes from one child and from two, and
# other rates than the first.
#
# ENGINE is the program to use; run from the repository's root. The last line is
# "N passed, N failed".

engine=${ENGINE:-build/engine}
# shellcheck disable=SC1091
. tests/counting.sh

cat >"$work/all.yaml" <<END
name: all
topology: "pack:2 l3:2 core:2 pu:2"
clock: 1GHz
protocol: moesi
place: cores-first
hit: 1ns
atomic: 10ns
pause: 10ns
fence: 10ns
transfer: { smt: 8ns, cluster: 30ns, socket: 60ns, remote: 120ns, upgrade_remote: 2 }
copy_occupancy: 10ns
dram: { local: 100ns, remote: 150ns }
home_rule: true
arbitration: random
run_bound: 1
request_share: 20%
hold: { mean: 15ns, spread: 25% }
failed_cas_writes: true
store_buffer: 16
smt_slowdown: 170%
adjacent_line_prefetch: true
jitter: exponential
run_ahead: 200ns
costs: { syscall: 200ns, switch: 500ns, wake: 300ns, wake_latency: 1us, idle_enter: 500ns, ipi: 500ns, copy_per_64B: 4ns }
END

# rates MACHINE JOBS
rates() {
	"$engine" run pread64 --machine "$1" --tasks 2,8,16 --csv - --quiet --jobs "$2" \
		--set measure.virtual.operations=400 --set measure.virtual.seeds=2 2>"$work/err"
}

# same NAME FILE - one child or two
same() {
	rates "$2" 1 >"$work/out" && rates "$2" 2 | cmp -s - "$work/out"
	result "equal bytes: $1" $?
}

# changed LINE - everything on but for this one: a key that the file has, with another value
changed() {
	sed "s/^${1%%:*}:.*/$1/" "$work/all.yaml" >"$work/one.yaml"
	same "$1" "$work/one.yaml"
	! cmp -s "$work/out" "$work/all.csv"
	result "other rates: $1" $?
}

same "everything on" "$work/all.yaml"
cp "$work/out" "$work/all.csv"
[ "$(grep -c ',ok,' "$work/all.csv")" = 6 ]
result "six points" $?

changed 'protocol: mesi'
changed 'protocol: mesif'
changed 'place: threads-first'
changed 'transfer: { smt: 0, cluster: 30ns, socket: 60ns, remote: 120ns, upgrade_remote: 2 }'
changed 'transfer: { smt: 8ns, cluster: 30ns, socket: 60ns, remote: 120ns, upgrade_remote: 1 }'
changed 'transfer: { smt: 8ns, cluster: 60ns, socket: 60ns, remote: 60ns, upgrade_remote: 2 }'
changed 'copy_occupancy: 0'
changed 'dram: { local: 0, remote: 0 }'
changed 'home_rule: false'
changed 'arbitration: fifo'
changed 'arbitration: flat-fifo'
changed 'arbitration: flat-random'
changed 'run_bound: 1000000'
changed 'request_share: 0%'
changed 'hold: 0'
changed 'hold: { mean: 15ns }'
changed 'failed_cas_writes: false'
changed 'store_buffer: 0'
changed 'smt_slowdown: 100%'
changed 'adjacent_line_prefetch: false'
changed 'jitter: none'
changed 'run_ahead: 0'
changed 'costs: { syscall: 200ns, copy_per_64B: 4ns }'

close_count
