#!/usr/bin/env bash
# in_empty_folder.sh PROGRAM [ARGUMENT..]: runs it in a new temporary folder, which is removed afterwards.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$@"
