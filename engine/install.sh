#!/bin/sh
# install.sh ENGINE - put the program and its workloads below $DESTDIR$PREFIX
#
# The program keeps its debug information: results name source lines and fields.

set -e
prefix=${DESTDIR}${PREFIX:-/usr/local}
share=$prefix/share/engine/workloads

install -D -m 755 "$1" "$prefix/bin/engine"
find workloads -name '*.yaml' | while read -r file; do
	install -D -m 644 "$file" "$share/${file#workloads/}"
done
echo "installed $prefix/bin/engine and $share" >&2
