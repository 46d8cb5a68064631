-- breaking
-- Days are held by rows of the tally: an advisory key could be guessed, and held by any role of the cluster. A daemon before
-- this release would close a day while calls of that day go on. Locks are taken in this order everywhere: profile, zone,
-- tally, streaks.
ALTER TABLE checkins.tally
  DROP CONSTRAINT tally_checked_in,
  ADD CONSTRAINT tally_checked_in CHECK (checked_in >= 0);
DROP FUNCTION IF EXISTS checkins.day_key(text, date);
-- It returns a value now.
DROP FUNCTION IF EXISTS checkins.use_zone(text, timestamptz);
