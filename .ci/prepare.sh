# Sourced by scenarios/run and tests/run, with `root` set to the top of the tree:
#   vida_prepare build | tests   sees to it that the tools and libraries are there
#   vida_configure PRESET        configures .build/PRESET when that has not been done
#   vida_build PRESET [...]      builds it, what follows goes to cmake --build
# Nothing is installed, and no network used, when nothing is missing.
# shellcheck shell=bash
: "${root:?}"

vida_jobs=$(nproc 2>/dev/null || echo 1)
if ((vida_jobs > 2)); then
  vida_jobs=2
fi

vida_is_command() {
  command -v "$1" >/dev/null 2>&1
}

# The first of several commands that exists.
vida_first_command() {
  local name
  for name in "$@"; do
    if vida_is_command "$name"; then
      echo "$name"
      return 0
    fi
  done
  return 1
}

# Whether the C compiler finds a header.
vida_is_header() {
  vida_is_command cc && echo "#include <$1>" | cc -E -x c "${@:2}" - >/dev/null 2>&1
}

vida_is_sundials() {
  local place prefixes
  IFS=: read -r -a prefixes <<<"${SUNDIALS_ROOT:-}:${CMAKE_PREFIX_PATH:-}:/usr:/usr/local"
  for place in "${SUNDIALS_DIR:-/nowhere}" "${prefixes[@]/%//lib/cmake/sundials}" \
    "${prefixes[@]/%//lib64/cmake/sundials}" /usr/lib/*/cmake/sundials; do
    if [[ -f $place/SUNDIALSConfig.cmake ]]; then
      return 0
    fi
  done
  return 1
}

vida_is_lua_header() {
  vida_is_header lua.h || vida_is_header lua.h -I/usr/include/lua5.4 ||
    vida_is_header lua.h -I/usr/local/include/lua5.4
}

# Prints "what is missing|Debian package" lines.
vida_missing() {
  vida_is_command cc || echo "a C compiler (cc)|gcc libc6-dev"
  vida_is_command make || echo "make|make"
  vida_is_command cmake || echo "CMake|cmake"
  vida_is_sundials || echo "SUNDIALS|libsundials-dev libsuitesparse-dev"
  vida_is_lua_header || echo "the headers of Lua 5.4|liblua5.4-dev"
  if [[ $1 == tests ]]; then
    vida_is_header CUnit/Basic.h || echo "CUnit|libcunit1-dev"
    vida_is_header hdf5.h || vida_is_header hdf5.h -I/usr/include/hdf5/serial ||
      echo "HDF5|libhdf5-dev"
    vida_is_command lua5.4 || echo "Lua 5.4|lua5.4"
    vida_is_command pkg-config || echo "pkg-config|pkg-config"
    vida_is_command clang || echo "clang|clang"
    vida_first_command clang-format-14 clang-format >/dev/null || echo "clang-format|clang-format"
    vida_is_command luacheck || echo "luacheck|lua-check"
    vida_is_command valgrind || echo "valgrind|valgrind"
    vida_is_command gnuplot || echo "gnuplot|gnuplot-nox"
    vida_is_command xmllint || echo "xmllint|libxml2-utils"
    vida_is_command ldoc || echo "LDoc|lua-ldoc"
    vida_is_command doxygen || echo "Doxygen|doxygen"
  fi
}

# Installs Debian packages; its output goes to .build/logs/install.log.
vida_install() {
  local as_root=()
  if ((EUID != 0)); then
    if ! vida_is_command sudo; then
      echo "Nothing was installed: that takes root. Please run as root: apt-get install $*" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  local log=$root/.build/logs/install.log
  mkdir -p "$root/.build/logs"
  echo "Installing with apt-get (this may take some minutes): $*" >&2
  if ! { "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
      --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "The installation failed." >&2
    return 1
  fi
}

# A browser for the test of reports, which is skipped without one: not every distribution has it as
# a package.
vida_prepare_browser() {
  if vida_is_command chromedriver && vida_is_command curl &&
    vida_first_command chromium chromium-browser google-chrome >/dev/null; then
    return 0
  fi
  echo "Missing: a headless browser." >&2
  if ! vida_is_command apt-get || ! vida_install chromium chromium-driver curl; then
    echo "No browser could be installed: the test of reports will be skipped." >&2
  fi
}

vida_prepare() {
  local missing what packages
  missing=$(vida_missing "$1")
  if [[ -n $missing ]]; then
    what=$(cut -d'|' -f1 <<<"$missing" | paste -s -d, | sed 's/,/, /g')
    packages=$(cut -d'|' -f2 <<<"$missing" | paste -s -d' ')
    echo "Missing: $what." >&2
    if ! vida_is_command apt-get; then
      echo "Please install them; on Debian they are called: $packages" >&2
      return 1
    fi
    # shellcheck disable=SC2086 # the packages are words
    vida_install $packages || return 1
    missing=$(vida_missing "$1")
    if [[ -n $missing ]]; then
      echo "Still missing after the installation: $(cut -d'|' -f1 <<<"$missing" | paste -s -d,)." >&2
      return 1
    fi
  fi
  if [[ $1 == tests ]]; then
    vida_prepare_browser
  fi
}

vida_configure() {
  local build=$root/.build/$1
  # A tree that has been moved or copied starts anew.
  if [[ -f $build/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf "$build"
  fi
  if [[ ! -f $build/Makefile && ! -f $build/build.ninja ]]; then
    (cd "$root" && cmake --preset "$1")
  fi
}

vida_build() {
  mkdir -p "$root/.build"
  (
    # Two builds at the same time must not write into each other.
    if vida_is_command flock; then
      flock 9
    fi
    {
      vida_configure "$1" &&
        cmake --build "$root/.build/$1" --parallel "$vida_jobs" "${@:2}"
    } 9>&-
  ) 9>"$root/.build/$1.lock"
}
