#!/bin/sh
# accuracy.sh - no published table is further off than its machine's file says
#
# Every shipped workload with published rates runs on the machine that they are of, with
# its own operations and seeds. A column's mean error may exceed the one recorded under
# `accuracy:` in the machine file by two points; a column without a record, and a record
# of no column, fail. After figures have changed:
#
#	UPDATE=1 sh tests/cli/accuracy.sh	print the records of today, by machine file
#	UPDATE=write sh tests/cli/accuracy.sh	put them into the machine files
#
# ENGINE is the program to use; run from the repository's root. The last line is
# "N passed, N failed".

engine=${ENGINE:-build/engine}
# shellcheck disable=SC1091
. tests/counting.sh
# shellcheck disable=SC1091
. tests/published.sh

points=2

# recorded FILE - "workload column error" of each record of a machine file.
recorded() {
	"$engine" validate "$1" | awk '
		/^[^ ]/ { inside = $1 == "accuracy:" }
		inside && $2 == "workload:" { workload = $3 }
		inside && $1 == "column:" { column = $2 }
		inside && $1 == "error:" { print workload, column, $2 + 0 }'
}

# compare NAME COLUMN ERROR RECORDS - as recorded, or not much worse?
compare() {
	record=$(awk -v name="$1" -v column="$2" '$1 == name && $2 == column { print $3 }' "$4")
	if [ -z "$record" ]; then
		echo "no record of $1, $2: mean error $3 %" >"$work/err"
		return 1
	fi
	echo "$1, $2: mean error $3 %, recorded $record %" >"$work/err"
	awk -v error="$3" -v record="$record" -v points=$points \
		'BEGIN { exit !(error <= record + points) }'
}

# A table of each column's error: "machine workload column error".
: >"$work/today"
for file in workloads/*.yaml workloads/micro/*.yaml; do
	name=$(basename "$file" .yaml)
	machine=$(published "$file")
	[ -n "$machine" ] || continue
	"$engine" run "$file" --machine "$machine" --quiet --json "$work/result" \
		>"$work/out" 2>"$work/err"
	result "$name runs" $?
	measured "$work/result" | sed "s/^/$machine $name /" >>"$work/today"
done
[ -s "$work/today" ]
result "there are published tables" $?

# block MACHINE - the records to put into its file.
block() {
	awk -v machine="$1" '
		$1 == machine && !n++ { print "accuracy:" }
		$1 == machine {
			printf "  - { workload: %s, column: %s, error: %.1f%% }\n", $2, $3, $4
		}' "$work/today"
}

# renew FILE MACHINE - the records of a machine file, at its end.
renew() {
	awk '/^[^ #-]/ { old = /^accuracy:/ } !old' "$1" >"$work/renewed"
	block "$2" >>"$work/renewed"
	cat "$work/renewed" >"$1"
}

# check FILE MACHINE - every column has a record and every record a column.
check() {
	: >"$work/out"
	recorded "$1" >"$work/records"
	grep "^$2 " "$work/today" >"$work/columns"
	while read -r machine name column error role; do
		compare "$name" "$column" "$error" "$work/records"
		result "$machine: $name, $column ($role)" $?
	done <"$work/columns"
	awk 'NR == FNR { known[$2 " " $3] = 1; next }
		!(($1 " " $2) in known) { print "no column for the record " $0; stale = 1 }
		END { exit stale }' "$work/columns" "$work/records" >"$work/err"
	result "$1 records nothing that is not published" $?
}

for file in workloads/machines/*.yaml; do
	machine=$(basename "$file" .yaml)
	grep -q "^$machine " "$work/today" || [ -z "$UPDATE" ] || continue
	case $UPDATE in
	"") check "$file" "$machine" ;;
	write) [ "$failed" -gt 0 ] || renew "$file" "$machine" ;;
	*) printf '# %s\n' "$file" && block "$machine" ;;
	esac
done

close_count
