#!/bin/sh
# run.sh [--long] - install what the tests need, build every variant, run every test
#
# Release, ASan + UBSan and TSan builds, then the checks on the source itself.
# --long adds the soaks. The last line is "N passed, N failed"; exit 0 only
# if nothing failed.

cd "$(dirname "$0")/.." || exit 1
long=
case "$1" in
--long) long=1 ;;
"") ;;
*)
	echo "usage: tests/run.sh [--long]" >&2
	exit 2
	;;
esac

fail() {
	echo "tests/run.sh: $1" >&2
	echo "0 passed, 1 failed"
	exit 1
}

# shellcheck disable=SC1091
. engine/packages.sh
install_packages libcmocka-dev clang binutils util-linux || fail "cannot install packages"

NINJA_STATUS="[%f/%t %e] "
export NINJA_STATUS

# Address-space randomisation of 32 bits is more than gcc 12's libtsan can map.
no_aslr=
setarch -R true 2>/dev/null && no_aslr="setarch -R"

variants="release asan tsan"
[ -n "$long" ] && variants="$variants debug long"

failed_builds=0
for variant in $variants; do
	echo "== $variant"
	run=
	[ "$variant" = tsan ] && run=$no_aslr
	$run ninja -k 0 "test-$variant" || failed_builds=$((failed_builds + 1))
done

if git rev-parse --git-dir >/dev/null 2>&1; then
	echo "== tidy"
	sh tests/tidy.sh >build/tests/tidy.ok.log 2>&1 || cat build/tests/tidy.ok.log
fi

# Every test left a log; each ends in cmocka's report or in a line "N passed, N failed".
set -- $(find build -name '*.ok.log' | sort | xargs awk '
	FNR == 1 { if (open && !said) failed++; open = 1; said = 0 }
	/^\[  PASSED  \] [0-9]+ test/ { passed += $4; said = 1 }
	/^\[  FAILED  \] [0-9]+ test/ { failed += $4; said = 1 }
	/^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; said = 1 }
	END { if (open && !said) failed++; print passed + 0, failed + 0 }')
passed=$1
failed=$2

if [ "$failed_builds" -gt 0 ] && [ "$failed" -eq 0 ]; then
	echo "tests/run.sh: a test program did not build or did not end" >&2
	failed=$failed_builds
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
