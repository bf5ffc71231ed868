#!/bin/sh
# tidy.sh - rules about the source that a compiler does not check
#
# Each check prints what it found; the last line counts checks. Run from the
# repository's root, after the release variant is built (it looks at objects).

passed=0
failed=0

# check NAME OUTPUT - a check passes when it found nothing.
check() {
	if [ -z "$2" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED %s\n%s\n' "$1" "$2"
	fi
}

sources() {
	git ls-files -co --exclude-standard "$@" | while read -r file; do
		[ -f "$file" ] && echo "$file"
	done
}

code=$(sources '*.c' '*.h' '*.S' '*.def')

check "lines of at most 100 columns (a tab is 8)" \
	"$(for f in $code; do expand "$f" | awk -v f="$f" 'length > 100 { print f ":" NR }'; done)"

check "no space at the end of a line" "$(grep -nE '[ 	]+$' $code)"

check "files of at most 700 lines" "$(wc -l $code | awk '$2 != "total" && $1 > 700 { print $2 ": " $1 }')"

check "every file opens with a prologue" \
	"$(for f in $(sources '*.c' '*.h' '*.def'); do head -n 1 "$f" | grep -q '^/\*' || echo "$f"; done)"

# Above machine/ there are only the wrappers.
check "no raw atomics, volatile or assembly above machine/" \
	"$(grep -nE '__atomic_|_Atomic|\bvolatile\b|\basm\b|__sync_' $(sources 'pagecache/*' 'vfs/*'))"

# Rooms and floors: a room includes only rooms below it.
above() {
	grep -nE "#include \"($2)/" $(sources "$1/*.c" "$1/*.h") /dev/null
}
check "machine/ includes no other room" "$(above machine 'pagecache|vfs|yaml|engine|tests')"
check "pagecache/ includes machine/ only" "$(above pagecache 'vfs|yaml|engine|tests')"
check "vfs/ includes pagecache/ and machine/ only" "$(above vfs 'yaml|engine|tests')"
check "yaml/ includes tables and spec only" \
	"$(above yaml 'engine|tests|pagecache|vfs|machine' |
		grep -vE '(policy|ops|costs|kernels)\.def"|machine/(spec|policy|rawline|types|cost)\.h"')"
check "engine/ does not look inside the kernel" \
	"$(above engine 'tests|machine/host|machine/virtual|machine/shared')"

# State lives in the arena: an object above the runtime has no writable data.
check "no mutable data at file scope above the runtime" \
	"$(for o in build/host/machine/*.o build/host/pagecache/*.o build/host/vfs/*.o; do
		[ -f "$o" ] || continue
		size -A "$o" | awk -v o="$o" '/^\.(data|bss|tdata|tbss)(\.| )/ && $1 !~ /rel\.ro/ && $2 > 0 {
			print o ": " $1 " " $2 " bytes" }'
	done)"

# The compiler does not see what a library function reads; those below are for user memory.
check "no library function looks at kernel memory" \
	"$(nm -u build/virtual/instrumented.o | awk '{ print $2 }' |
		grep -xE 'mem[a-z]+|b[a-z]+|str[a-z]+|qsort' |
		grep -vxE 'mem(cpy|set|move)|str(n?len|c?spn)')"

check "each kind exports one symbol" \
	"$(for kind in host virtual; do
		[ -f "build/${kind}_kernel.o" ] || continue
		nm -g --defined-only "build/${kind}_kernel.o" | grep -v " ${kind}_kernel\$"
	done)"

# The classic faults of a hand-written build: a forgotten file, a missing dependency.
check "every C file is built" \
	"$(for f in $(sources '*.c' '*.S'); do grep -qF " $f " engine/ninja/*.ninja ||
		grep -qE " $f\$" engine/ninja/*.ninja || echo "$f"; done)"
check "ninja finds no missing dependency" "$(ninja -t missingdeps 2>/dev/null | grep -i 'missing dep:')"

check "no path of one computer and no word about how this is made" \
	"$(grep -nIE '/wor[k]/|/roo[t]/|/hom[e]/[a-z]|\.\./share[d]|\.\./\.librar[y]|facts/[a-z]+\.m[d]' \
		$(sources) /dev/null | cut -c1-160)"

check "no TODO left" "$(grep -nE '\b(TOD[O]|FIXM[E]|XX[X])\b' $code | head -20)"

check "each room has a README" \
	"$(for d in engine vfs pagecache machine machine/host machine/virtual yaml workloads tests; do
		[ -f "$d/README.md" ] || echo "$d/README.md"; done)"

check "scripts have their run bit" \
	"$(for f in .ci/run tests/run.sh engine/setup.sh; do [ -x "$f" ] || echo "$f"; done)"

check "every shipped workload opens with a comment" \
	"$(for f in $(sources 'workloads/*.yaml'); do head -n 1 "$f" | grep -q '^#' || echo "$f"; done)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
