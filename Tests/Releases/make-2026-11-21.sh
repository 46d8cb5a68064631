#!/bin/sh
# Makes 2026-11-21.sql.gz: a database of the release of 21 November 2026 (commit c34a8df),
# after work that its own daemon did.
#
# make-2026-11-21.sh PROGRAMS | gzip -n9 >2026-11-21.sql.gz, where PROGRAMS is the directory of that commit's
# debug build (`git archive c34a8df | tar x -C DIRECTORY`, and `swift build` there). Run by root, it starts a
# private PostgreSQL 15 as the user postgres and migrates with that `settled`. The files of 2026-11-21 call the
# contract as an app, and that daemon works in simulated time until SIGTERM. It prints the roles and the database,
# as pg_dumpall and pg_dump have them.
set -eu

programs=$1
story=$(cd "$(dirname "$0")" && pwd)
server=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 | sort -V | tail -n 1)/bin
work=$(mktemp -d)
daemon=
finish() {
  [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || :
  as_postgres "$server/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1 || :
  rm -rf "$work"
}
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups -- "$@"; }
trap finish EXIT
chown postgres "$work"

as_postgres "$server/initdb" -D "$work/data" -N -A trust -U postgres -E UTF8 --locale=C.UTF-8 >/dev/null
as_postgres "$server/pg_ctl" -D "$work/data" -w -l "$work/log" \
  -o "-k $work -c listen_addresses='' -c timezone=UTC -c fsync=off" start >/dev/null
export PGHOST="$work" PGUSER=postgres PGDATABASE=release PGTZ=UTC
createdb release
"$programs/settled" migrate --simulated-clock --database-url "postgresql://postgres@/release?host=$work" >&2
psql -q -c 'CREATE ROLE app LOGIN IN ROLE settled_app'

# act NAME: the statements of this part of the story, as the role that it names.
act() { psql -q -v ON_ERROR_STOP=1 -U "$2" -f "$story/2026-11-21/$1.sql" >/dev/null; }
clock() { psql -q -c "SELECT settled.set_clock('$1')" >/dev/null; }
# until_none STATEMENT: waits, a minute at most, until the count is zero.
until_none() {
  tries=0
  until [ "$(psql -qAt -c "SELECT count(*) FROM $1")" = 0 ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { echo "not done: $1" >&2; exit 1; }
    sleep 0.1
  done
}
ctl() { "$programs/settlectl" "$@" >&2; }

clock '2031-06-02T09:00:00Z'
mkdir "$work/state"
export SETTLED_CONTROL_SOCKET="$work/control.sock"
SETTLED_DATABASE_URL="postgresql://settled_daemon@/release?host=$work" SETTLED_NODE=first SETTLED_STATE_DIRECTORY="$work/state" \
  SETTLED_HEALTH_SOCKET="$work/health.sock" SETTLED_SOCKET_GROUP=root \
  SETTLED_SCHEDULES_DATABASE_URL="postgresql://settled_schedule@/release?host=$work" "$programs/settled" run 2>"$work/daemon" &
daemon=$!
tries=0
until grep -q ready "$work/daemon"; do
  tries=$((tries + 1))
  [ $tries -lt 600 ] || { cat "$work/daemon" >&2; exit 1; }
  sleep 0.1
done
until_none '(SELECT 1 WHERE NOT EXISTS (SELECT FROM racing.race)) AS calendar'

act people app
act schedules postgres
ctl schedule add hourly --cron '0 * * * *' --zone Europe/London --call ops.work
ctl schedule add nightly --cron '30 1 * * *' --zone Europe/London --call ops.work --missed once
ctl schedule pause nightly

clock '2031-06-03T10:30:00Z'
act first-day app
until_none "racing.activity WHERE status = 'pending'"
act flags app
until_none "racing.activity WHERE flag_count >= 3 AND status <> 'under_review'"
ctl review disqualify 3 --reason 'a motor is heard'

clock '2031-06-04T12:00:00Z'
until_none "racing.race WHERE status <> 'settled' AND due_at <= settled.clock()"
until_none 'checkins.zone WHERE next_at <= settled.clock()'
act second-day app
ctl race cancel "$(psql -qAt -c "SELECT id FROM racing.race WHERE status = 'upcoming' AND entry_count > 0")" --reason storm
clock '2031-06-05T12:00:00Z'
until_none "racing.activity WHERE status = 'pending'"
until_none 'checkins.zone WHERE next_at <= settled.clock()'
until_none "settled.occurrence WHERE finished_at IS NULL AND instant <= settled.clock()"
until_none 'settled.event_pending'
ctl ledger verify
ctl audit schedule
ctl failures
kill -TERM "$daemon"
wait "$daemon"
daemon=

echo "-- Made by Tests/Releases/make-2026-11-21.sh."
pg_dumpall --globals-only --no-role-passwords | sed '/^\\/d; /ROLE postgres/d; /^--/d; /^$/d; /ROLE app\b/d; / TO app/d'
pg_dump | sed '/^\\restrict/d; /^\\unrestrict/d; /^--/d; /^$/d'
