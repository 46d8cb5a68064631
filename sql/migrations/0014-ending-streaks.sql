-- breaking
-- A day with many ending streaks is closed in pieces: a zone knows how many streaks of next_date have ended, and the last
-- of them in the order of the index. A daemon before this release would count its own alone.
ALTER TABLE checkins.zone
  ADD COLUMN streaks_ended bigint NOT NULL DEFAULT 0,
  ADD COLUMN ended_on date NOT NULL DEFAULT '-infinity',
  ADD COLUMN ended_id bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT zone_streaks_ended CHECK (streaks_ended >= 0),
  ADD CONSTRAINT zone_ended CHECK (ended_on <= next_date AND (ended_on = '-infinity') = (ended_id = 0));
DROP INDEX checkins.streak_to_end;
CREATE INDEX streak_to_end ON checkins.streak (zone, ends_on, id) WHERE ended_at IS NULL;
