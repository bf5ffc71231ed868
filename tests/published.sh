# published.sh - sourced by scripts that run published tables: what is published, how far off it is
#
# $engine is the program.

# published FILE - the machine that the workload publishes rates of, if it does.
published() {
	"$engine" validate "$1" | awk '
		/^[^ ]/ { inside = $1 == "published:" }
		inside && $1 == "machine:" { machine = $2 }
		inside && $1 == "unit:" { unit = $2 }
		END { if (unit == "ops/s") print machine }'
}

# measured JSON - "column error role" of each published column of a result, in percent.
measured() {
	awk -F '[ ,:"]+' '
		/^  "accuracy"/ { inside = 1; next }
		inside && /"mean_error"/ { printf "%s %.2f %s\n", $4, $8 * 100, $6 }' "$1"
}
