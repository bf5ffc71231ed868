#!/bin/sh
# ablation.sh [--write] - what each mechanism of the coherence model is worth, as Markdown
#
# Prints two tables; --write puts them between their marks in machine/virtual/README.md.
# One thing is changed in the machine files, nothing is refitted, and every published table
# runs again at its own operations and seeds. Takes minutes; the same bytes every time.
#
# *Mechanisms*: by change, the mean error of the base and of the predicted column of each
# table, and the mean over all micro-measurements of their mean errors.
#
# *One table left out*: would the model be the same if one table had never been seen? The
# evidence is the base columns of the other three and the micro-measurements. A mechanism is
# kept if without it the mean of those three base errors, or the mean error of the
# micro-measurements, grows by more than 0.3 points. The fourth table then runs with every
# mechanism that was not kept switched off, all at once.
#
# ENGINE is the program to use; run from the repository's root.

engine=${ENGINE:-build/engine}
readme=machine/virtual/README.md
tables="pread64 pread64-epyc fstat2 open3"
worth=0.3

# NAME|WHAT IS CHANGED|FIGURES|off or other: does it switch a mechanism off, or choose another?
mechanisms() {
	cat <<-'END'
		nothing|nothing||other
		hold|hold: one atomic, no more|hold=0|off
		spread|hold: always the same|hold.spread=0%|off
		share|request: nothing of it overlaps|request_share=0%|off
		copies|copies: any number at once|copy_occupancy=0|off
		protocol|copies: no forwarder, no owner (MESI)|protocol=mesi|off
		smt|threads of a core: no transfer|transfer.smt=0|off
		turns|arbitration: one queue, random|arbitration=flat-random|off
		pick|arbitration: first come inside a cluster|arbitration=fifo|off
		queue|arbitration: one queue, first come|arbitration=flat-fifo|other
		run|run bound 8|run_bound=8|other
		home|no home rule|home_rule=false|off
		upgrade|upgrade across sockets: one transfer|transfer.upgrade_remote=1|off
		stores|stores stall|store_buffer=0|off
		failed|a failed cmpxchg does not write|failed_cas_writes=false|off
		slowdown|no SMT slowdown|smt_slowdown=100%|off
		jitter|no jitter|jitter=none|off
		hits|hit: its L1 latency, 1.5 ns|hit=1.5ns|off
		start|copying: no fixed cost|costs.copy_start=0|off
		wake|waking: no cost|costs.wake=0|off
	END
}

# shellcheck disable=SC1091
. tests/published.sh

die() {
	echo "tests/ablation.sh: $1" >&2
	exit 1
}

case $1 in
"" | --write) ;;
*)
	echo "usage: tests/ablation.sh [--write]" >&2
	exit 2
	;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/as-is" "$work/changed" "$work/known"

# change FILE PATH VALUE - a resolved machine file (one value a line) with another figure; the
# same bytes if it says so already. A figure's value is the first line of its mapping.
change() {
	awk -v path="$2" -v value="$3" '
		{ match($0, /^ */); depth = RLENGTH / 2 }
		dropping && depth > level { next }
		{
			dropping = 0
			key[depth] = $1
			sub(/:$/, "", key[depth])
			here = key[0]
			for (i = 1; i <= depth; i++)
				here = here "." key[i]
		}
		here != path || $2 == value { print; next }
		{
			line = $0
			new = substr($0, 1, RLENGTH) key[depth] ": " value
			level = depth
		}
		/: *$/ {
			if ((getline) > 0 && $2 == value) {
				print line
				print
				next
			}
			dropping = 1
		}
		{ print new }' "$1" >"$work/edited"
	cat "$work/edited" >"$1"
}

# change_all FIGURE... - $work/changed: every machine with these figures.
change_all() {
	cp "$work"/as-is/* "$work/changed"
	for figure; do
		for file in "$work"/changed/*; do
			change "$file" "${figure%%=*}" "${figure#*=}"
		done
	done
}

# errors WORKLOAD - $base and $predicted on $work/changed; $how: is its machine "changed" or the "same"?
errors() {
	machine=$(cat "$work/machine-of/$1")
	file=$work/changed/$machine.yaml
	known=$work/known/$1-$(cksum <"$file" | tr ' ' -)
	if [ ! -s "$known" ]; then
		"$engine" run "$1" --machine "$file" --jobs 2 --quiet --json "$work/result" >"$work/out" ||
			die "$1 does not run"
		measured "$work/result" | awk '
			{ sum[$3] += $2; n[$3]++ }
			END {
				printf "%.2f %.2f\n", sum["base"] / n["base"],
					n["predicted"] ? sum["predicted"] / n["predicted"] : 0
			}' >"$known"
	fi
	read -r base predicted <"$known"
	how=changed
	cmp -s "$file" "$work/as-is/$machine.yaml" && how=same
}

# What is published, on which machine; machine files with one value a line.
mkdir "$work/machine-of"
micro=
for file in workloads/*.yaml workloads/micro/*.yaml; do
	name=$(basename "$file" .yaml)
	machine=$(published "$file")
	[ -n "$machine" ] || continue
	echo "$machine" >"$work/machine-of/$name"
	"$engine" validate "workloads/machines/$machine.yaml" >"$work/as-is/$machine.yaml" ||
		die "no machine $machine"
	case $file in workloads/micro/*) micro="$micro $name" ;; esac
done

# Every change on every table: "name table base predicted how"; the micro-measurements are one.
mechanisms >"$work/mechanisms"
while IFS='|' read -r name words figures _; do
	echo "ablation: $words" >&2
	# shellcheck disable=SC2086
	change_all $figures
	for table in $tables; do
		errors "$table"
		echo "$name $table $base $predicted $how"
	done
	for table in $micro; do
		errors "$table"
		echo "$base $how"
	done >"$work/micro"
	awk -v name="$name" '
		{ sum += $1; changed += $2 == "changed" }
		END { printf "%s micro %.2f 0 %s\n", name, sum / NR, changed ? "changed" : "same" }
	' "$work/micro"
done <"$work/mechanisms" >"$work/results"

# title TABLE - "`pread64`, e5-2690v3-2s"
title() {
	# shellcheck disable=SC2016
	printf '`%s`, %s' "$1" "$(cat "$work/machine-of/$1")"
}

# The first table. A dash: the machine has nothing that could be changed.
{
	printf '| changed |'
	for table in $tables; do
		printf ' %s |' "$(title "$table")"
	done
	printf ' micro |\n|---|---|---|---|---|---|\n'
	awk -F '|' -v tables="$tables" '
		NR == FNR { order[++n] = $1; words[$1] = $2; next }
		{ split($0, f, " ") }
		f[5] == "same" && f[1] != "nothing" { cell[f[1], f[2]] = "-"; next }
		f[2] == "micro" { cell[f[1], f[2]] = sprintf("%.1f", f[3]); next }
		{ cell[f[1], f[2]] = sprintf("%.1f / %.1f", f[3], f[4]) }
		END {
			m = split(tables " micro", table, " ")
			for (i = 1; i <= n; i++) {
				printf "| %s |", words[order[i]]
				for (j = 1; j <= m; j++)
					printf " %s |", cell[order[i], table[j]]
				print ""
			}
		}' "$work/mechanisms" "$work/results"
} >"$work/mechanisms.md"

# unneeded TABLE - what the other tables and the micro-measurements do not ask for:
# "FIGURE WORDS" by line.
unneeded() {
	awk -F '|' -v left_out="$1" -v worth=$worth '
		NR == FNR { order[++n] = $1; words[$1] = $2; figure[$1] = $3; off[$1] = $4 == "off"; next }
		{ split($0, f, " ") }
		f[2] == "micro" { micro[f[1]] = f[3]; next }
		f[2] != left_out { base[f[1]] += f[3] / 3 }
		END {
			for (i = 1; i <= n; i++) {
				m = order[i]
				if (off[m] && base[m] <= base["nothing"] + worth &&
				    micro[m] <= micro["nothing"] + worth)
					print figure[m], words[m]
			}
		}' "$work/mechanisms" "$work/results"
}

# Two ways to take arbitration apart are a third when both are taken.
both_arbitrations() {
	grep -q '^arbitration=flat-random ' "$1" && grep -q '^arbitration=fifo ' "$1" &&
		echo arbitration=flat-fifo
}

{
	echo '| left out | not kept by the others | base / predicted without them | with all |'
	echo '|---|---|---|---|'
	for table in $tables; do
		echo "ablation: without $table" >&2
		unneeded "$table" >"$work/unneeded"
		# shellcheck disable=SC2046
		change_all $(cut -d ' ' -f 1 "$work/unneeded"; both_arbitrations "$work/unneeded")
		errors "$table"
		awk -v title="$(title "$table")" -v base="$base" -v predicted="$predicted" -v table="$table" '
			NR == FNR { sub(/^[^ ]* /, ""); list = list (list ? "; " : "") $0; next }
			$1 == "nothing" && $2 == table {
				printf "| %s | %s | %.1f / %.1f | %.1f / %.1f |\n", title, list ? list : "-",
					base, predicted, $3, $4
			}' "$work/unneeded" "$work/results"
	done
} >"$work/left-out.md"

# write NAME - put $work/NAME.md between "<!-- ablation: NAME -->" and "<!-- end -->".
write() {
	awk -v name="$1" -v table="$work/$1.md" '
		$0 == "<!-- ablation: " name " -->" {
			print
			while ((getline line <table) > 0)
				print line
			inside = found = 1
		}
		$0 == "<!-- end -->" { inside = 0 }
		!inside { print }
		END { exit !found }' $readme >"$work/readme" || die "$readme has no place for $1"
	cat "$work/readme" >$readme
}

if [ "$1" = --write ]; then
	write mechanisms
	write left-out
else
	cat "$work/mechanisms.md"
	echo
	cat "$work/left-out.md"
fi
