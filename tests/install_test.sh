#!/usr/bin/env bash
# Installs a build into a temporary folder and uses it from there as a stranger would: an outside CMake
# project, the manual page, the completion. Usage: install_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail

source_folder="$1"
build_folder="$2"
place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
unset DESTDIR

fail() {
  echo "install_test: $*" >&2
  exit 1
}

cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$build_folder/CMakeCache.txt"
}

# One file below the folder whose path ends like this.
installed() {
  local found
  found="$(find "$place/usr" -path "*/$1" -type f)"
  [[ -n "$found" ]] || fail "$1 was not installed"
  echo "$found"
}

# --- everything is there -----------------------------------------------------------------------------
cmake --install "$build_folder" --prefix "$place/usr" > "$place/install.log"
program="$(installed bin/sfg)"
installed lib*/libsfg.a > /dev/null
installed include/sfg/sfg.hpp > /dev/null
for header in "$source_folder"/include/sfg/*.hpp; do
  installed "include/sfg/$(basename "$header")" > /dev/null
done
manual="$(installed man1/sfg.1)"
bash_completion="$(installed bash-completion/completions/sfg)"
zsh_completion="$(installed zsh/site-functions/_sfg)"
fish_completion="$(installed fish/vendor_completions.d/sfg.fish)"

# --- manual page and completion name every command and every option ----------------------------------
commands="$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')"
[[ "$(wc -w <<< "$commands")" -ge 8 ]] || fail "the help lists too few commands: $commands"
for command in $commands; do
  for page in "$manual" "$bash_completion" "$zsh_completion" "$fish_completion"; do
    grep -qw -- "$command" "$page" || fail "$page does not name the command $command"
  done
  grep -q "sfg $command" "$source_folder/docs/COMMANDS.md" ||
    fail "docs/COMMANDS.md does not name the command $command"
  of_bash="$(grep -A 1 "^    $command)" "$bash_completion")"
  of_zsh="$(sed -n "/^  $command)/,/;;/p" "$zsh_completion")"
  of_fish="$(grep "from $command'" "$fish_completion")"
  while read -r option; do
    grep -qF -- "${option//-/\\-}" "$manual" || fail "the manual does not name $command $option"
    grep -qw -- "$option" <<< "$of_bash" || fail "bash completion does not know $command $option"
    grep -q -- "$option\|_describe" <<< "$of_zsh" || fail "zsh completion does not know $command $option"
    grep -q -- "-l ${option#--} " <<< "$of_fish" || fail "fish completion does not know $command $option"
  done < <("$program" "$command" --help | sed -n 's/^  \(-[a-z],\)\?\(--[a-z0-9-]*\).*/\2/p')
done

# --- the shells take them ----------------------------------------------------------------------------
bash -n "$bash_completion"
if command -v zsh > /dev/null; then zsh -n "$zsh_completion"; else echo "no zsh: its file not tried"; fi
if command -v fish > /dev/null; then fish -n "$fish_completion"; else echo "no fish: its file not tried"; fi
if command -v man > /dev/null; then
  warnings="$(man --warnings -l "$manual" 2>&1 > /dev/null)"
  [[ -z "$warnings" ]] || fail "the manual page: $warnings"
fi

# What bash would offer for these words, the last one half typed.
offered() {
  bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sfg; echo "${COMPREPLY[*]}"' \
    bash "$bash_completion" "$@"
}
[[ "$(offered sfg red)" == reduce ]] || fail "completing 'sfg red' offers: $(offered sfg red)"
[[ "$(offered sfg reduce --pursuit o)" == "omp ols" ]] || fail "values of --pursuit are not offered"
[[ "$(offered sfg sweep --thet)" == --thetas ]] || fail "options of sweep are not offered"
[[ "$(offered sfg help expl)" == explain ]] || fail "'sfg help' offers no commands"

# --- an outside project finds and links the library --------------------------------------------------
cmake -S "$source_folder/examples" -B "$place/example" -G Ninja \
  -DCMAKE_PREFIX_PATH="$place/usr" \
  -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
  -DCMAKE_CXX_FLAGS="$(cached CMAKE_CXX_FLAGS)" > "$place/configure.log" ||
  fail "find_package(sfg) does not work: $(cat "$place/configure.log")"
cmake --build "$place/example" > "$place/build.log" || fail "$(cat "$place/build.log")"
"$place/example/reduce_table" > "$place/example.txt"
grep -q '^kept [0-9]* of 200 features$' "$place/example.txt" || fail "$(head -n 5 "$place/example.txt")"

# The installed program and the library agree on a file.
"$program" synth --samples 50 --features 80 -o "$place/table.csv" --quiet
by_program="$("$program" reduce "$place/table.csv" --theta 0.5 --json | sed 's/.*"n_kept":\([0-9]*\).*/\1/')"
by_library="$("$place/example/reduce_table" "$place/table.csv" | sed -n 's/^kept \([0-9]*\) of.*/\1/p')"
[[ "$by_program" == "$by_library" ]] || fail "program keeps $by_program, library $by_library"

# --- so does a build that asks pkg-config -----------------------------------------------------------------
PKG_CONFIG_PATH="$(dirname "$(installed pkgconfig/sfg.pc)")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PKG_CONFIG_PATH
[[ "$(pkg-config --variable=includedir sfg)" -ef "$place/usr/include" ]] || fail "sfg.pc names another folder of headers"
# shellcheck disable=SC2046  # flags are several words
"$(cached CMAKE_CXX_COMPILER)" -std=c++20 $(cached CMAKE_CXX_FLAGS) "$source_folder/examples/reduce_table.cpp" \
  -o "$place/by_pkg_config" $(pkg-config --cflags --libs sfg) || fail "pkg-config's flags do not link"
"$place/by_pkg_config" | diff - "$place/example.txt" || fail "linked by pkg-config it gives another answer"

# --- README's lines of C++ compile and run -------------------------------------------------------------
# Each fenced block is a program: its includes, and the rest in main().
mkdir "$place/readme"
awk -v folder="$place/readme" '
  /^```cpp$/ { inside = 1; includes = body = ""; next }
  /^```$/ && inside {
    inside = 0
    file = folder "/lines" ++blocks ".cpp"
    printf "%s\nint main() {\n%s}\n", includes, body > file
    close(file)
  }
  inside && /^#include/ { includes = includes $0 "\n"; next }
  inside { body = body $0 "\n" }
' "$source_folder/README.md"
cat > "$place/readme/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.25)
project(readme LANGUAGES CXX)
find_package(sfg REQUIRED)
file(GLOB sources ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE sfg::sfg)
endforeach()
END
[[ -f "$place/readme/lines1.cpp" ]] || fail "README.md has no lines of C++"
cmake -S "$place/readme" -B "$place/readme/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$place/usr" \
  -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
  -DCMAKE_CXX_FLAGS="$(cached CMAKE_CXX_FLAGS)" > "$place/configure.log" || fail "$(cat "$place/configure.log")"
cmake --build "$place/readme/build" > "$place/build.log" ||
  fail "README's lines of C++ do not compile: $(cat "$place/build.log")"
cp "$place/table.csv" "$place/readme/data.csv"
for lines in "$place"/readme/lines*.cpp; do
  (cd "$place/readme" && "build/$(basename "$lines" .cpp)") || fail "README's lines of C++ do not run: $(cat "$lines")"
done

echo "installed, found, linked and run: kept $by_program of 80 by both"
