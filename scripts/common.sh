# Sourced by the scripts beside it: where the project is, how to say things, and how to get Debian packages.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
jobs=$(nproc 2>/dev/null || echo 2)
started=$SECONDS

if [ -t 1 ]; then bold=$'\e[1m' plain=$'\e[0m'; else bold='' plain=''; fi
say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
elapsed() { local s=$((SECONDS - ${1:-$started})); printf '%d min %02d s' $((s / 60)) $((s % 60)); }

# need PACKAGE=WITNESS...: WITNESS is a command, or a path, that tells that the package is there.
need() {
    local item package witness missing=()
    for item in "$@"; do
        package=${item%%=*} witness=${item#*=}
        case $witness in
            /*) [ -e "$witness" ] || missing+=("$package") ;;
            *) command -v "$witness" >/dev/null || missing+=("$package") ;;
        esac
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        printf 'Missing: %s\nPlease run:\n\n    sudo apt-get update && sudo apt-get install --no-install-recommends -y %s\n\n' \
            "${missing[*]}" "${missing[*]}" >&2
        exit 1
    fi
    say "Installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null ||
        die "apt-get could not install: ${missing[*]}"
}

multiarch=/usr/lib/$(uname -m)-linux-gnu
dist=/usr/lib/python3/dist-packages
packages_build=(g++=g++ cmake=cmake ninja-build=ninja nlohmann-json3-dev=/usr/include/nlohmann/json.hpp
    libcli11-dev=/usr/include/CLI/CLI.hpp)
packages_plot=(python3=/usr/bin/python3 python3-numpy=$dist/numpy python3-matplotlib=$dist/matplotlib)
packages_test=(python3=python3 libgtest-dev=/usr/include/gtest/gtest.h liblapack-dev=$multiarch/liblapack.so
    libtbb-dev=/usr/include/tbb/tbb.h)
packages_bench=(libbenchmark-dev=/usr/include/benchmark/benchmark.h)
packages_check=(git=git clang=clang++ clang-format=clang-format
    libtrilinos-kokkos-dev=/usr/include/trilinos/Kokkos_Core.hpp)
packages_docs=(doxygen=doxygen python3-sphinx=$dist/sphinx python3-breathe=$dist/breathe furo=$dist/furo
    python3-myst-parser=$dist/myst_parser)
