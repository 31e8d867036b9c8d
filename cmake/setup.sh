# shellcheck shell=bash disable=SC2154
# Set-up shared by ./taut and ./test. The sourcing script has set $root, the top of the source tree.
build=$root/build/release
log=$root/build/setup.log

say() { echo "taut: $*" >&2; }

# failed COMMAND... : shows where the log tells what went wrong, and ends. From a build that is what the first failing
# compiler said, without its command line, from a little before its first error on.
failed() {
  awk '/^FAILED: / && !start { print; start = NR + 2 }
    { line[NR] = $0 }
    start && NR >= start && !found && /error: |undefined reference/ { found = NR }
    END {
      from = found ? found - 3 : start ? start : NR - 24
      for (i = from > start ? from : start; i <= NR && i < from + 25; ++i) print line[i]
    }' "$log" | cut -c 1-300 >&2
  say "failed: $*"
  say "the whole log is $log"
  exit 1
}

# Runs a command with its output kept in the log: standard output belongs to the program, and the log is of interest
# only when something failed. Descriptor 9 is the set-up lock; a child that lingers must not hold it.
quietly() { "$@" >"$log" 2>&1 9>&- </dev/null || failed "$@"; }

# build [CMAKE OPTION]... : builds, and says how far it is. There is one compiler for each core: two more, as
# ninja would start, take memory and make each other's times look longer.
build() {
  say "building; the log is $log"
  cmake --build "$build" -j "$(nproc)" "$@" 2>&1 9>&- </dev/null | progress 9>&-
  [[ ${PIPESTATUS[0]} == 0 ]] || failed cmake --build "$build" "$@"
}

# Keeps standard input in the log, and turns ninja's "[12/104] …" into a line about what is done and what is left: on a
# terminal rewritten in place, elsewhere a new one every 15 seconds.
progress() {
  local line text seconds told=0 began=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]] || continue
    text="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} files done"
    seconds=$((SECONDS - began))
    if ((seconds >= 3)); then
      text+=", about $(duration $((seconds * (BASH_REMATCH[2] - BASH_REMATCH[1]) / BASH_REMATCH[1]))) left"
    fi
    if [[ -t 2 ]]; then
      printf '\rtaut: %s\e[K' "$text" >&2
    elif ((seconds - told >= 15)); then
      say "$text"
      told=$seconds
    fi
  done 3>"$log"
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# duration SECONDS : in words, as exact as an estimate is
duration() {
  if (($1 >= 100)); then echo "$((($1 + 30) / 60)) min"; else echo "$((($1 + 9) / 10 * 10)) s"; fi
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
