# counting.sh - sourced by the test scripts: a folder for output, results, the closing line
#
# Programs under test write to $work/out and $work/err; a failed result shows both.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/out"
: >"$work/err"
passed=0
failed=0

# result NAME OK - count and say what failed.
result() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1"
		sed 's/^/  stdout: /' "$work/out" | head -5
		sed 's/^/  stderr: /' "$work/err" | head -20
	fi
}

# close_count - the line that tests/run.sh reads; fails if anything did.
close_count() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
