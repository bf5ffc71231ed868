# command.sh - sourced after counting.sh by the scripts that test commands
#
# $engine is the program; $command the command, empty where the arguments begin with one.

# try ARGUMENT... - run `engine $command`; output in $work/out and $work/err, status in $status.
try() {
	"$engine" ${command:+"$command"} "$@" >"$work/out" 2>"$work/err"
	status=$?
}

# says NAME STATUS TEXT ARGUMENT... - nothing on stdout, TEXT somewhere on stderr.
says() {
	name=$1
	wanted=$2
	text=$3
	shift 3
	try "$@"
	[ "$status" = "$wanted" ] && [ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err"
	result "$name (exit $wanted, got $status)" $?
}
