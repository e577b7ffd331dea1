#!/usr/bin/env bash
# The demo under Valgrind: no wrong access, no use of what was never set, no leak.
# The table is smaller than the demo's own, which takes eight minutes here.
# Usage: valgrind_demo_test.sh SOURCE_FOLDER PROGRAM
set -euo pipefail

demo="$1/tools/demo"
program="$2"
if ! command -v valgrind > /dev/null; then
  echo "skipped: no valgrind here"
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

cat > "$folder/sfg" << END
#!/bin/sh
export OPENBLAS_CORETYPE=Haswell  # else the program may start itself again, outside of Valgrind
exec valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,possible \\
  "$program" "\$@"
END
chmod +x "$folder/sfg"
cd "$folder"
"$demo" "$folder/sfg" 60 300
