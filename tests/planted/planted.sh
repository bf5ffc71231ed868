#!/bin/sh
# planted.sh - every planted fault is caught and named, on each kind that can
#
# ENGINE is a program with the kernel of plants.c; CHECKS says what this variant
# looks for: "plain" (no sanitizer), "poison" (freed memory, on the virtual kind),
# "asan" (on both kinds) or "tsan" (host kind under ThreadSanitizer). The last line
# is "N passed, N failed".

engine=$ENGINE
workload=tests/planted/planted.yaml
# shellcheck disable=SC1091
. tests/counting.sh

# caught NAME OFFSET TEXT ARGUMENT... - the run fails and its message contains TEXT.
caught() {
	name=$1
	offset=$2
	text=$3
	shift 3
	"$engine" run "$workload" --quiet --set "loop[0].pread.offset=$offset" "$@" \
		>"$work/out" 2>"$work/err"
	status=$?
	[ "$status" -ne 0 ] && grep -qE -- "$text" "$work/err"
	result "$name: exit $status, wanted '$text'" $?
}

dropped_put=1073741824
freed_folio=1073741825
freed_file=1073741826
plain_count=1073741827
endless_loop=1073741828
on_host="--machine host"

case $CHECKS in
plain | poison | asan)
	caught "dropped put, virtual" $dropped_put "pages? still in use.*refcount"
	caught "dropped put, host" $dropped_put "pages? still in use.*refcount" $on_host
	caught "plain count, virtual: the race" $plain_count "data race on inode" --races
	caught "plain count, virtual: both lines" $plain_count \
		"\((.*\.[ch]:[0-9]+, .*plants.c:[0-9]+|.*plants.c:[0-9]+, .*\.[ch]:[0-9]+)\)" --races
	;;
esac
case $CHECKS in
plain)
	timeout="timeout: no result after [12] s"
	caught "endless loop, virtual" $endless_loop "$timeout" --limit 1 --tasks 1
	caught "endless loop, host" $endless_loop "$timeout" --limit 1 --tasks 1 $on_host
	;;
esac
case $CHECKS in
poison | asan)
	caught "freed folio, virtual" $freed_folio "use after free of .*(page|folio|contents)" --tasks 1
	caught "freed file, virtual" $freed_file "use after free of .*file" --tasks 1
	;;
tsan)
	caught "plain count, host" $plain_count "ThreadSanitizer: data race" $on_host
	;;
esac
case $CHECKS in
asan)
	caught "freed folio, host" $freed_folio "use-after-poison" $on_host --tasks 1
	caught "freed file, host" $freed_file "use-after-poison" $on_host --tasks 1
	;;
esac

close_count
