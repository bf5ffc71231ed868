# packages.sh - sourced by setup.sh and tests/run.sh

# install_packages NAME... - install what is missing of these Debian packages.
# sudo only when not root; nothing is touched when nothing is missing.
install_packages() {
	missing=
	for package in "$@"; do
		dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' ||
			missing="$missing $package"
	done
	[ -z "$missing" ] && return 0
	as_root=
	[ "$(id -u)" -eq 0 ] || as_root=sudo
	echo "installing:$missing" >&2
	$as_root apt-get update -qq >&2 &&
		$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
			--no-install-recommends $missing >&2
}
