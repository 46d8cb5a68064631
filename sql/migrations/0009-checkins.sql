-- Check-ins: profiles, one entry for each person and date, streaks, and the days of each zone. Source of the rules:
-- rules/check-ins.md. Locks are taken in this order everywhere: profile, days (advisory, shared; by the daily reset its
-- zones, then exclusive), streaks.
CREATE SCHEMA checkins;

-- A person as the app names them. Streak and history follow from the entries and from what is kept here, whether or not
-- a day has been closed. The key is a hash index, because a long name would not fit a tree.
CREATE TABLE checkins.profile (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL,
  time_zone text REFERENCES settled.time_zone,   -- as it was sent; null: UTC is used
  is_onboarded boolean NOT NULL,
  created_at timestamptz NOT NULL,
  zone_since date NOT NULL,                      -- the zone's date when it came to hold
  streak_id bigint,                              -- the latest streak
  longest_streak integer NOT NULL DEFAULT 0,
  bridged datemultirange NOT NULL DEFAULT '{}',  -- dates after the last entry that a change of zone jumped over
  CONSTRAINT profile_user EXCLUDE USING hash (user_id WITH =),
  CONSTRAINT profile_user_id CHECK (length(user_id) BETWEEN 1 AND 10000),
  CONSTRAINT profile_longest CHECK (longest_streak >= 0 AND (longest_streak > 0) = (streak_id IS NOT NULL))
) WITH (fillfactor = 90);

-- A check-in: a person's date has one. The zone is the one in which that date was theirs.
CREATE TABLE checkins.entry (
  profile_id bigint NOT NULL REFERENCES checkins.profile,
  date date NOT NULL,
  zone text NOT NULL,
  score numeric(3, 1) NOT NULL,
  metrics jsonb NOT NULL,
  checked_in_at timestamptz NOT NULL,
  CONSTRAINT entry_once PRIMARY KEY (profile_id, date),
  CONSTRAINT entry_score CHECK (score BETWEEN -11 AND 9 AND score * 2 = trunc(score * 2))
);

-- Entries that follow each other without a gap. It ends when ends_on ends in its zone without an entry: what the daily
-- reset looks for, so that its work is those that end. Who is back before their ends_on by flying back goes on in a copy.
CREATE TABLE checkins.streak (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  profile_id bigint NOT NULL REFERENCES checkins.profile,
  zone text NOT NULL,
  started_on date NOT NULL,
  last_on date NOT NULL,
  length integer NOT NULL,
  ends_on date NOT NULL,                         -- the first date after last_on that is not bridged
  ended_at timestamptz,
  CONSTRAINT streak_dates CHECK (started_on <= last_on AND last_on < ends_on),
  CONSTRAINT streak_length CHECK (length BETWEEN 1 AND last_on - started_on + 1)
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX streak_to_end ON checkins.streak (zone, ends_on) WHERE ended_at IS NULL;
ALTER TABLE checkins.profile ADD CONSTRAINT profile_streak FOREIGN KEY (streak_id) REFERENCES checkins.streak;

-- Zones that have or had a profile, and the next of their days to close: it ends at next_at.
CREATE TABLE checkins.zone (
  name text PRIMARY KEY REFERENCES settled.time_zone,
  next_date date NOT NULL,
  next_at timestamptz NOT NULL
);
CREATE INDEX zone_to_close ON checkins.zone (next_at, name);

-- How many checked in on a day that is still open, in as many rows as spare callers waiting for each other.
CREATE TABLE checkins.tally (
  zone text NOT NULL,
  date date NOT NULL,
  shard integer NOT NULL,
  checked_in bigint NOT NULL,
  CONSTRAINT tally_once PRIMARY KEY (zone, date, shard),
  CONSTRAINT tally_checked_in CHECK (checked_in > 0)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- Days that were closed: each day of a zone once, by this key.
CREATE TABLE checkins.day (
  zone text NOT NULL REFERENCES checkins.zone,
  date date NOT NULL,
  checked_in bigint NOT NULL,
  streaks_ended bigint NOT NULL,
  closed_at timestamptz NOT NULL,
  CONSTRAINT day_once PRIMARY KEY (zone, date),
  CONSTRAINT day_totals CHECK (checked_in >= 0 AND streaks_ended >= 0)
);
