#!/usr/bin/env python3
"""Says by cronsim (PyPI) when cron expressions tick around clock changes.

usage: cron_ticks.py SEED EXPRESSIONS

Prints the offsets of the zones (`zone NAME START:OFFSET,...`) and cases (`case EXPRESSION ZONE FROM THROUGH INSTANTS`),
fields by tabs, instants in seconds; `hangs` instead of `case` where cronsim does not come to an end.
"""

import random
import signal
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

# Nothing is written beside this program.
sys.dont_write_bytecode = True

from packages import enter  # noqa: E402

try:
    from cronsim import CronSim
except ImportError:
    if not enter("cron", ["cronsim==2.8"]):
        sys.exit("pip cannot install cronsim")
    raise

ZONES = """Africa/Cairo Asia/Beirut America/Santiago America/Havana Australia/Lord_Howe Pacific/Apia America/St_Johns
Europe/London America/New_York Antarctica/Troll Asia/Kolkata UTC Pacific/Chatham America/Asuncion Africa/Casablanca
Asia/Gaza Asia/Tehran America/Sao_Paulo Europe/Istanbul Pacific/Fiji Asia/Pyongyang America/Caracas Antarctica/Casey
Atlantic/Azores America/Nuuk Europe/Moscow Asia/Kathmandu Pacific/Kiritimati Pacific/Auckland Europe/Lisbon""".split()

LISTED = """* * * * *|*/10 * * * *|0 * * * *|30 2 * * *|30 1 * * *|0 0 * * *|1 0 * * *|59 23 * * *|0 */2 * * *
*/30 1 * * *|0,30 0-3 * * *|15 3 * * *|0 0,12 * * *|30 0-4 * * *|0 3 * * sun|0 0 1 * *|0 0 13 * fri|0 0 */2 * mon
5/20 2 * * *|0 0 29 2 *|*/7 */3 * * *|17 5-23/6 * * 1-5|0 0 1,15 jan-jun *|30 23 * * *|0 1 * * *|0 2 * * *
45 1,2 * * *|* 2 * * *|*/20 0 * * *|30 * * * *|*/15 * * * * *|0 */20 * * * *|0 0 * * 7|0 4 * * 5-7|10-50/20 0,1,2 * * *
0 0 1-7 * mon""".replace("\n", "|").split("|")

FIRST = datetime(2004, 1, 1, tzinfo=timezone.utc)
LAST = datetime(2031, 1, 1, tzinfo=timezone.utc)


def offset(zone, second):
    return round(datetime.fromtimestamp(second, zone).utcoffset().total_seconds())


def spans(zone):
    """(start, offset) of every span of constant offset."""
    low, end = int(FIRST.timestamp()), int(LAST.timestamp())
    found = [(low, offset(zone, low))]
    while low < end:
        high = low + 43200
        if offset(zone, high) != offset(zone, low):
            left, right = low, high
            while right - left > 1:
                middle = (left + right) // 2
                if offset(zone, middle) == offset(zone, low):
                    left = middle
                else:
                    right = middle
            found.append((right, offset(zone, right)))
        low = high
    return found


def field(draw, low, high):
    kind = draw.randrange(6)
    if kind == 0:
        return "*"
    if kind == 1:
        return f"*/{draw.randint(1, 15)}"
    if kind == 2:
        first = draw.randint(low, high)
        return f"{first}-{draw.randint(first, high)}"
    if kind == 3:
        # Not 3-3/5: for cronsim that runs to the field's end, here and in Debian's cron it is a range of one number.
        first = draw.randint(low, high - 1)
        return f"{first}-{draw.randint(first + 1, high)}/{draw.randint(1, 9)}"
    return ",".join(str(draw.randint(low, high)) for _ in range(draw.randint(1, 3)))


def expression(draw):
    hour = field(draw, 0, 23) if draw.random() < 0.5 else field(draw, 0, 3)
    days = [draw.choice(["*", "*", "*", field(draw, 1, 28)]), "*", draw.choice(["*", "*", "*", field(draw, 0, 7)])]
    return " ".join([field(draw, 0, 59), hour] + days)


def is_cadence(text):
    minute, hour = text.split()[-5:-3]
    return minute.startswith("*") or hour.startswith("*")


def cadence(text, zone, first, last):
    """Every instant at which clocks show a matching time, by cronsim's fields and day rule.

    Its own stepping is not taken here: it loses its place where clocks change by half an hour (Australia/Lord_Howe),
    and restarts at midnight where it ought to go on.
    """
    cron = CronSim(text, datetime(2000, 1, 1))
    step = 60 if cron.seconds == {0} else 1
    found = []
    for second in range(first + step, last + 1, step):
        shown = datetime.fromtimestamp(second, zone)
        if (shown.second in cron.seconds and shown.minute in cron.minutes and shown.hour in cron.hours
                and shown.month in cron.months and cron.match_day(shown.date())):
            found.append(second)
    return found


def ticks(text, zone, first, last):
    """What cronsim says; several times that come to one instant are one tick."""
    found = set()
    for tick in CronSim(text, datetime.fromtimestamp(first, zone)):
        # Aware arithmetic in UTC: an imaginary time is taken by the offset before the gap, which is the same instant.
        second = round(tick.astimezone(timezone.utc).timestamp())
        if second > last:
            break
        if second > first:
            found.add(second)
    return sorted(found)


def give_up(*_):
    raise TimeoutError


def main():
    signal.signal(signal.SIGALRM, give_up)
    draw = random.Random(int(sys.argv[1]))
    count = int(sys.argv[2])
    for name in ZONES:
        zone = ZoneInfo(name)
        all_spans = spans(zone)
        print("zone", name, ",".join(f"{start}:{offset}" for start, offset in all_spans), sep="\t")
        changes = [start for start, _ in all_spans[1:]] or [draw.randrange(int(FIRST.timestamp()), int(LAST.timestamp()))]
        changes = [change for change in changes if change < LAST.timestamp() - 5 * 86400]
        for text in LISTED + [expression(draw) for _ in range(count)]:
            change = draw.choice(changes)
            # Whole days of the zone, so that cronsim starts from a time that exists once.
            around = datetime.fromtimestamp(change, zone) - timedelta(days=draw.randint(1, 2))
            first = round(around.replace(hour=12, minute=0, second=0, fold=0).astimezone(timezone.utc).timestamp())
            last = first + 3 * 86400
            # cronsim never ends where clocks fall back over midnight (America/St_Johns before 2011).
            signal.setitimer(signal.ITIMER_REAL, 5)
            try:
                found = (cadence if is_cadence(text) else ticks)(text, zone, first, last)
            except TimeoutError:
                print("hangs", text, name, first, last, sep="\t")
                continue
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            print("case", text, name, first, last, ",".join(map(str, found)), sep="\t")


main()
