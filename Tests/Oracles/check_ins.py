#!/usr/bin/env python3
"""The rules of check-ins (CheckIns.docc/CheckIns.md) once more, on zoneinfo and plain sets of dates.

usage: check_ins.py walk CONNINFO SEED PEOPLE STEPS   travellers: every answer of the contract against the rules
       check_ins.py days ZONE FROM TO                 the days of a zone that end between two instants, and when
       check_ins.py closed CONNINFO                   days closed in a database against the calendar, up to its clock

`closed` takes each zone's first day from the table public.first_profile (zone, at) where there is one, else from the
profiles. Both sides must read the same tz data: PYTHONTZPATH says where. Exit 1 at the first differences.
"""

import functools
import json
import os
import random
import subprocess
import sys
import tempfile
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from civil_time import start_of

DAY = timedelta(days=1)
GOOD = {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0,
        "stressLevel": 2, "lateCaffeine": False, "screenLate": False, "bedtimeHour": 22}  # 9 points
EXTREMES = ["Pacific/Auckland", "Pacific/Honolulu", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Havana",
            "America/St_Johns", "Africa/Cairo", "Europe/London", "UTC"]

# Where travellers meet what is rare: dates that never were, zones two dates apart; at last all zones.
EPISODES = [
    ("1993-08-17", ["Pacific/Kwajalein", "Pacific/Honolulu", "Pacific/Auckland"]),
    ("1994-12-27", ["Pacific/Kiritimati", "Pacific/Enderbury", "Pacific/Honolulu", "Pacific/Auckland"]),
    ("2011-12-26", ["Pacific/Apia", "Pacific/Fakaofo", "Pacific/Honolulu", "Pacific/Auckland", "Pacific/Kiritimati"]),
    ("2014-03-01", ["Pacific/Kiritimati", "Pacific/Pago_Pago"]),
    ("2015-03-01", ["Pacific/Auckland", "Pacific/Honolulu", "Pacific/Kiritimati", "Pacific/Pago_Pago"]),
    ("2016-03-01", None),
]


@functools.lru_cache(maxsize=None)
def start(day, zone):
    """The first instant of a date, in seconds; None where the zone has no such date."""
    return start_of(datetime(day.year, day.month, day.day), ZoneInfo(zone))


def local_date(now, zone):
    """The latest date whose first instant is not after now."""
    shown = datetime.fromtimestamp(now, timezone.utc).astimezone(ZoneInfo(zone)).date()
    for day in (shown + DAY, shown, shown - DAY):
        begun = start(day, zone)
        if begun is not None and begun <= now:
            return day
    raise AssertionError((now, zone))


def days_between(first, last):
    """The dates strictly between two."""
    return [first + n * DAY for n in range(1, (last - first).days)]


def iso(now):
    return datetime.fromtimestamp(now, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Person:
    def __init__(self, zone, now):
        self.zone = zone
        self.since = local_date(now, zone or "UTC")
        self.stays = []       # (zone, first date, last date) of zones that were left
        self.jumped = set()   # dates that a change of zone bridged
        self.entries = {}
        self.run = self.longest = 0

    def local(self, now):
        return local_date(now, self.zone or "UTC")

    def today(self, now):
        return max([self.local(now)] + list(self.entries)[-1:])

    def missing(self, day, now):
        """Whether a date never was, for this person."""
        stays = self.stays + [(self.zone or "UTC", self.since, self.today(now) + DAY)]
        return day in self.jumped or any(
            first < day < last and start(day, zone) is None for zone, first, last in stays)

    def lives(self, now):
        last = list(self.entries)[-1]
        return all(self.missing(day, now) for day in days_between(last, self.today(now)))

    def move(self, zone, now):
        old, new = self.local(now), local_date(now, zone)
        if zone != (self.zone or "UTC"):
            between = days_between(old, new)
            assert len(between) <= 1
            self.jumped |= set(between)
            self.stays.append((self.zone or "UTC", self.since, old))
            self.since = new
        self.zone = zone
        return "ok"

    def submit(self, now):
        today = self.today(now)
        if today in self.entries:
            return "SD409 already-checked-in"
        self.run = self.run + 1 if self.entries and self.lives(now) else 1
        self.longest = max(self.longest, self.run)
        self.entries[today] = self.zone or "UTC"
        return "ok"

    def summary(self, now):
        today = self.today(now)
        shown = {str(day): {"date": str(day), "score": 9} for day in self.entries}
        answer = {"streak": {"current": self.run if self.entries and self.lives(now) else 0, "longest": self.longest,
                             "lastDate": max(shown) if shown else None},
                  "history": {f"days{n}": [shown[str(day)] for day in sorted(self.entries) if day > today - n * DAY]
                              for n in (14, 60, 365)}}
        if today in self.entries:
            answer["today"] = shown[str(today)]
        return answer


def psql(conninfo, text):
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(text)
        script.flush()
        return subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", conninfo, "-f", script.name],
                              check=True, stdout=subprocess.PIPE, env=os.environ | {"PGTZ": "UTC"},
                              encoding="utf-8").stdout.splitlines()


TRIED = """
CREATE OR REPLACE FUNCTION public.tried(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; answer jsonb;
BEGIN
  EXECUTE 'SELECT ' || call INTO answer;
  RETURN CASE WHEN call LIKE 'checkins.summary%' THEN answer::text ELSE 'ok' END;
EXCEPTION WHEN SQLSTATE 'SD400' OR SQLSTATE 'SD404' OR SQLSTATE 'SD409' THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN SQLSTATE || ' ' || (detail::jsonb ->> 'rule');
END $$;
CREATE TABLE IF NOT EXISTS public.first_profile (zone text PRIMARY KEY, at timestamptz NOT NULL);
"""


def walk(conninfo, seed, count, steps):
    chance = random.Random(seed)
    every = psql(conninfo, "SELECT name FROM settled.time_zone ORDER BY name;")
    now, step = 0, 0
    people, first, script, wanted = {}, {}, [TRIED], []

    def appear(zone):
        first.setdefault(zone or "UTC", now)

    def say(call, answer):
        script.append(f"SELECT public.tried($call${call}$call$);")
        wanted.append((step, call, answer))

    def act(name, zone):
        person = people.get(name)
        if person is None:
            zone = None if chance.random() < 0.1 else zone
            people[name] = Person(zone, now)
            appear(zone)
            say(f"checkins.onboard('{name}', {repr(zone) if zone else 'NULL'})", "ok")
            return
        draw = chance.random()
        if draw < 0.5:
            say(f"checkins.submit('{name}', '{json.dumps(GOOD)}')", person.submit(now))
        elif draw < 0.8:
            appear(zone)
            say(f"checkins.update_profile('{name}', '{json.dumps({'timezone': zone})}')", person.move(zone, now))
        say(f"checkins.summary('{name}')", person.summary(now))

    for episode, (begins, zones) in enumerate(EPISODES):
        begun = datetime.fromisoformat(begins).replace(tzinfo=timezone.utc).timestamp()
        now = max(now, int(begun) + chance.randrange(86400))
        zones = zones or EXTREMES + every
        for step in range(steps):
            if chance.random() < 0.4:  # to the very edge of a day
                zone = chance.choice(zones)
                day = local_date(now, zone) + DAY
                while start(day, zone) is None:
                    day += DAY
                now = max(now, start(day, zone) - chance.choice([0, 1]))
            else:
                now += chance.choice([0, 1, 1800, 3600, 7200, 20000, 40000])
            if chance.random() < 0.01:  # nobody looks for a while
                now += chance.randrange(86400, (20 if begins < "2015" else 400) * 86400)
            script.append(f"SELECT settled.set_clock('{iso(now)}') \\g /dev/null")
            for _ in range(chance.randrange(1, 5)):
                act(f"person {episode}/{chance.randrange(count)}", chance.choice(zones))
    script += [f"INSERT INTO public.first_profile VALUES ('{zone}', '{iso(at)}');" for zone, at in first.items()]
    found = psql(conninfo, "\n".join(script))
    if len(found) != len(wanted):
        sys.exit(f"seed {seed}: {len(found)} answers to {len(wanted)} calls")
    for line, (step, call, answer) in zip(found, wanted):
        got = json.loads(line) if line.startswith("{") else line
        if got != answer:
            sys.exit(f"seed {seed}, step {step}, {call}:\nwanted {json.dumps(answer, sort_keys=True)}"
                     f"\ngot    {json.dumps(got, sort_keys=True)}")
    entries = {}
    for person in people.values():
        for day, zone in person.entries.items():
            entries[zone, str(day)] = entries.get((zone, str(day)), 0) + 1
    kept = dict(line.rsplit("|", 1) for line in psql(
        conninfo, "SELECT zone || ' ' || date, count(*) FROM checkins.entry GROUP BY zone, date;"))
    if {key: int(value) for key, value in kept.items()} != {f"{z} {d}": n for (z, d), n in entries.items()}:
        sys.exit(f"seed {seed}: other entries are kept than were made")
    made = sum(answer == "ok" and "submit" in call for _, call, answer in wanted)
    print(f"check-ins: {len(wanted)} answers to {len(people)} travellers in {len(first)} zones as the rules say, "
          f"{made} check-ins, longest streak {max(p.longest for p in people.values())}, until {iso(now)}, seed {seed}")


def ended_days(zone, since, until):
    """Dates of a zone from the one that holds at an instant, whose ends are not after another; with their ends."""
    day = local_date(since, zone)
    while True:
        following = day + DAY
        while start(following, zone) is None:
            following += DAY
        if start(following, zone) > until:
            return
        yield day, start(following, zone)
        day = following


def closed(conninfo):
    own = psql(conninfo, "SELECT to_regclass('public.first_profile') IS NOT NULL;") == ["t"]
    source = ("SELECT zone, extract(epoch FROM at)::bigint FROM public.first_profile" if own else
              "SELECT coalesce(time_zone, 'UTC'), extract(epoch FROM min(created_at))::bigint FROM checkins.profile"
              " GROUP BY 1")
    now = int(psql(conninfo, "SELECT extract(epoch FROM settled.clock())::bigint;")[0])
    wanted = {}
    for line in psql(conninfo, source + ";"):
        zone, since = line.split("|")
        wanted[zone] = [str(day) for day, _ in ended_days(zone, int(since), now)]
    for name, question in {
        "recorded": "SELECT zone, date FROM checkins.day ORDER BY zone, date",
        "told in this order": "SELECT e.payload->>'zone', e.payload->>'date' FROM (SELECT position, 0 AS id, payload, topic"
            " FROM settled.event UNION ALL SELECT NULL, id, payload, topic FROM settled.event_pending) AS e"
            " WHERE topic = 'day.closed' ORDER BY position NULLS LAST, id",
    }.items():
        found = {zone: [] for zone in wanted}
        for line in psql(conninfo, question + ";"):
            zone, day = line.split("|")
            found.setdefault(zone, []).append(day)
        for zone in sorted(found):
            if found[zone] != wanted.get(zone):
                lost = sorted(set(wanted.get(zone, [])) - set(found[zone]))[:5]
                more = sorted(set(found[zone]) - set(wanted.get(zone, [])))[:5]
                sys.exit(f"{zone}: {len(found[zone])} days {name}, {len(wanted.get(zone, []))} ended; lost {lost}, more {more}")
    print(f"check-ins: {sum(map(len, wanted.values()))} days of {len(wanted)} zones closed once and in order")


def main():
    mode, *arguments = sys.argv[1:]
    if mode == "walk":
        conninfo, seed, count, steps = arguments
        walk(conninfo, int(seed), int(count), int(steps))
    elif mode == "days":
        zone, since, until = arguments
        since, until = (int(datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()) for at in (since, until))
        for day, end in ended_days(zone, since, until):
            print(day, iso(end))
    else:
        closed(*arguments)


if __name__ == "__main__":
    main()
