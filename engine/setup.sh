#!/bin/sh
# setup.sh - install what is missing of the Debian 12 packages that the program
# needs (sudo only when not root), then build build/engine. NLopt searches for the
# figures of a machine (`engine calibrate`): global and local, without derivatives.

cd "$(dirname "$0")/.." || exit 1

# shellcheck disable=SC1091
. engine/packages.sh
install_packages gcc libc6-dev binutils ninja-build pkg-config \
	libcyaml-dev libyaml-dev libjemalloc-dev liburcu-dev libhwloc-dev libdw-dev \
	libnlopt-dev || {
	echo "engine/setup.sh: cannot install packages" >&2
	exit 1
}
exec ninja
