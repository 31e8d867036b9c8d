# shellcheck shell=bash disable=SC2154
# Set-up shared by ./taut and ./test. The sourcing script has set $root, the top of the source tree.
build=$root/build/release
log=$root/build/setup.log

say() { echo "taut: $*" >&2; }

# Runs a command with its output kept in the log: standard output belongs to the program, and the log is of interest
# only when something failed. Descriptor 9 is the set-up lock; a child that lingers must not hold it.
quietly() {
  "$@" >"$log" 2>&1 9>&- </dev/null && return
  cat "$log" >&2
  say "failed: $*"
  exit 1
}

# One set-up at a time. The lock goes with the process, or with unlock.
lock() {
  { mkdir -p "$root/build" && exec 9>"$root/build/setup.lock"; } || exit 1
  flock --wait 1 9 && return
  say "waiting for another set-up in this folder to finish"
  flock 9
}
unlock() { exec 9>&-; }

# packages SECTION... : the names packages.txt lists under these sections
packages() {
  awk -v wanted=" $* " '
    /^# \[.*\]/ { section = $2; gsub(/[][]/, "", section); next }
    { sub(/#.*/, "") }
    NF { if (index(wanted, " " section " ")) print $1 }' "$root/packages.txt"
}

# install_packages SECTION... : installs what is missing; without the right to, says how
install_packages() {
  command -v dpkg-query >/dev/null || return 0  # not Debian: CMake will name what it cannot find
  local wanted missing
  wanted=$(packages "$@")
  # shellcheck disable=SC2086  # one word per package
  missing=$(comm -23 <(sort <<<"$wanted") \
    <(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' $wanted 2>/dev/null | sed -n 's/^.i *//p' | sort) | xargs)
  [[ $missing ]] || return 0
  if [[ $(id -u) != 0 ]]; then
    say "these packages are missing: $missing. Install them with"
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing" >&2
    exit 2
  fi
  say "installing $missing"
  export DEBIAN_FRONTEND=noninteractive
  quietly apt-get update
  # shellcheck disable=SC2086
  quietly apt-get install -y --no-install-recommends $missing
}

# A build folder made elsewhere (the tree was copied or moved) still points to the old sources.
is_configured() {
  [[ -f $build/build.ninja ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"
}

# configure [CMAKE OPTION]... : the release preset, afresh where there is no usable build folder
configure() {
  is_configured || { say "configuring"; set -- --fresh "$@"; }
  cd "$root" || exit 1  # presets are found from the source folder; callers use a subshell where it matters
  quietly cmake --preset release "$@"
}
