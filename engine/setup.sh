#!/bin/sh
# setup.sh - install what is missing of the Debian 12 packages that the program
# needs (sudo only when not root), then build build/engine.

cd "$(dirname "$0")/.." || exit 1

# shellcheck disable=SC1091
. engine/packages.sh
install_packages gcc libc6-dev binutils ninja-build pkg-config \
	libcyaml-dev libyaml-dev libjemalloc-dev liburcu-dev libhwloc-dev libdw-dev || {
	echo "engine/setup.sh: cannot install packages" >&2
	exit 1
}
exec ninja
