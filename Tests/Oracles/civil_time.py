#!/usr/bin/env python3
"""Proves settled.day_start, local_date and resolve_local against zoneinfo: every accepted zone, every day 1970-2037.

usage: civil_time.py CONNINFO [EVERY [SEED]]

EVERY takes only each n-th zone (default 1: all); SEED chooses the local times that are resolved. Both sides must read
the same tz data: PYTHONTZPATH says where, by default /usr/share/zoneinfo, which Debian's PostgreSQL reads too.
Prints what was compared; exit 1 at the first differences.
"""

import multiprocessing
import random
import subprocess
import sys
import zlib
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)
DAYS = (datetime(2038, 1, 1) - EPOCH).days
SECOND = timedelta(seconds=1)
QUARTERS = 96


def seconds(delta):
    return delta.days * 86400 + delta.seconds


def instants(local, zone):
    """All instants (seconds) at which the zone shows a naive local time, by PEP 495."""
    first = zone.utcoffset(local)
    second = zone.utcoffset(local.replace(fold=1))
    shown = seconds(local - EPOCH)
    if first == second:
        return [shown - seconds(first)]
    if first > second:
        return [shown - seconds(first), shown - seconds(second)]
    return []


def start_of(day, zone):
    """The first instant of the day that begins at a naive midnight; None where the zone skipped the date."""
    found = instants(day, zone)
    if found:
        return found[0]
    low = seconds(day - EPOCH) - 86400
    high = low + 2 * 86400
    while high - low > 1:
        middle = (low + high) // 2
        shown = datetime.fromtimestamp(middle, timezone.utc).astimezone(zone).replace(tzinfo=None)
        if shown >= day:
            high = middle
        else:
            low = middle
    shown = datetime.fromtimestamp(high, timezone.utc).astimezone(zone)
    return high if shown.date() == day.date() else None


def probe(day, zone_name, seed):
    """The quarter hour of a day that is resolved: any, the same on both sides."""
    return (day * 7919 + zlib.crc32(zone_name.encode()) + seed) % QUARTERS


STATEMENT = """
COPY (
  SELECT coalesce(extract(epoch FROM s.start)::bigint::text, '-'),
    coalesce((settled.local_date(s.start, {zone}) - d.day)::text, '-'),
    coalesce((settled.local_date(s.start - interval '1 microsecond', {zone}) - d.day)::text, '-'),
    array_to_string(ARRAY(SELECT extract(epoch FROM i)::bigint FROM unnest(settled.resolve_local(
      d.day + ((d.number::bigint * 7919 + {salt}) % 96) * interval '15 minutes', {zone})) AS i), ',')
  FROM (SELECT number, date '1970-01-01' + number AS day FROM generate_series(0, {last}) AS number) AS d,
    LATERAL (SELECT settled.day_start(d.day, {zone}) AS start OFFSET 0) AS s
  ORDER BY d.number
) TO STDOUT
"""


def query(conninfo, statement):
    done = subprocess.run(
        ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", conninfo, "-c", statement], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


CHANGES = """
COPY (
  SELECT array_to_string(ARRAY(SELECT extract(epoch FROM i)::bigint FROM unnest(settled.resolve_local(
      date '1970-01-01' + c.number + q * interval '15 minutes' - {before} * interval '1 second', {zone})) AS i), ',')
  FROM unnest('{{{numbers}}}'::integer[]) WITH ORDINALITY AS c(number, place), generate_series(0, 95) AS q
  ORDER BY c.place, q
) TO STDOUT
"""


def check_changes(conninfo, name, zone, literal):
    """Every quarter hour, and the second before it, of each day on which the zone's clocks change."""
    days = [EPOCH + timedelta(days=number) for number in range(DAYS)]
    offsets = [zone.utcoffset(day) for day in days]
    changed = [number for number in range(DAYS - 1) if offsets[number] != offsets[number + 1]]
    differences = []
    for before in (0, 1):
        text = query(conninfo, CHANGES.format(zone=literal, before=before, numbers=",".join(map(str, changed))))
        lines = iter(text.split("\n"))
        for number in changed:
            for quarter in range(QUARTERS):
                local = days[number] + timedelta(minutes=15 * quarter, seconds=-before)
                wanted = ",".join(map(str, instants(local, zone)))
                found = next(lines)
                if wanted != found:
                    differences.append(f"{name} {local}: wanted {wanted}, got {found}")
    return len(changed) * QUARTERS * 2, differences


def check(task):
    """Compares one zone; yields (days, days without a start, local times in gaps, in folds,
    local times on days of change, differences)."""
    conninfo, name, seed = task
    zone = ZoneInfo(name)
    salt = zlib.crc32(name.encode()) + seed
    literal = "'" + name.replace("'", "''") + "'"
    text = query(conninfo, STATEMENT.format(zone=literal, salt=salt, last=DAYS - 1))
    skipped = gaps = folds = 0
    differences = []
    previous = -1  # how far back the last existing date lies
    day = EPOCH
    one_day = timedelta(days=1)
    for number, line in enumerate(text.splitlines()):
        found = line.split("\t")
        start = start_of(day, zone)
        local = day + timedelta(minutes=15 * probe(number, name, seed))
        resolved = instants(local, zone)
        if start is None:
            wanted = ["-", "-", "-"]
            skipped += 1
        else:
            wanted = [str(start), "0", str(previous)]
        wanted.append(",".join(map(str, resolved)))
        previous = previous - 1 if start is None else -1
        gaps += not resolved
        folds += len(resolved) > 1
        if found != wanted:
            differences.append(f"{name} {day.date()} and {local}: wanted {wanted}, got {found}")
        day += one_day
    changes, wrong = check_changes(conninfo, name, zone, literal)
    differences += wrong
    if number + 1 != DAYS:
        differences.append(f"{name}: {number + 1} days instead of {DAYS}")
    return DAYS, skipped, gaps, folds, changes, differences


def main():
    conninfo = sys.argv[1]
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 20)
    names = query(conninfo, "SELECT name FROM settled.time_zone ORDER BY name").split()[seed % every::every]
    totals = [0] * 5
    with multiprocessing.Pool(2) as pool:
        tasks = [(conninfo, name, seed) for name in names]
        for *counts, differences in pool.imap_unordered(check, tasks, chunksize=4):
            totals = [total + count for total, count in zip(totals, counts)]
            if differences:
                sys.exit("\n".join(differences[:20]))
    days, skipped, gaps, folds, changes = totals
    print(f"civil time: {len(names)} zones, {days} zone-days equal to zoneinfo ({skipped} skipped dates), "
          f"{days} local times resolved ({gaps} in gaps, {folds} in folds) "
          f"and {changes} on days of change, seed {seed}")


if __name__ == "__main__":
    main()
