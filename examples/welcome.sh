#!/usr/bin/env bash
# welcome.sh PROGRAM: runs the example of the README as a reader would, table first, and checks that its one job was done.
set -euo pipefail
sqlite3 app.db <"$(dirname "$0")/welcome.sql"
"$1" | tee output
grep -qx 'Hello to ada@example.org' output
[ "$(sqlite3 app.db 'SELECT count(*) FROM email_jobs')" = 0 ]
