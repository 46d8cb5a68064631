-- What bounds those who use up the provider's limits, and judges of their own races.
-- Source: Strava.docc/Reads.md, Strava.docc/Tokens.md, Racing.docc/Moderation.md.
ALTER TABLE racing.entry ADD COLUMN claims_listed_at timestamptz;
COMMENT ON COLUMN racing.entry.claims_listed_at IS
  'When a listing for the athlete''s claims was asked for in the line of this race''s results: once. Null: never.';

ALTER TABLE strava.connection
  ADD COLUMN refused_codes integer NOT NULL DEFAULT 0,
  ADD COLUMN code_refused_at timestamptz;
COMMENT ON COLUMN strava.connection.refused_codes IS
  'Codes that the provider has refused in a row: each doubles the pause before the next one.';
COMMENT ON COLUMN strava.connection.code_refused_at IS 'When the latest of them was refused. Null: none was.';
CREATE INDEX connection_to_exchange_first ON strava.connection (next_call_at)
  WHERE status = 'connecting' AND refused_codes = 0;

CREATE TABLE racing.code_day (
  athlete_id bigint NOT NULL CONSTRAINT code_day_pkey PRIMARY KEY REFERENCES racing.athlete (id),
  day date NOT NULL,
  codes integer NOT NULL,
  CONSTRAINT code_day_codes CHECK (codes > 0)
);
COMMENT ON TABLE racing.code_day IS 'The authorization codes that an athlete has sent through the gateway in a day.';
COMMENT ON COLUMN racing.code_day.day IS 'A date of racing.time_zone.';

ALTER TABLE racing.decision ADD COLUMN took_verified boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN racing.decision.took_verified IS
  'Of a question: whether it took a verified activity out of its races. Such a question judges.';
DROP INDEX racing.decision_of_reviewer;
CREATE INDEX decision_of_reviewer ON racing.decision (reviewer_athlete, activity_id)
  WHERE reviewer_athlete IS NOT NULL AND (decision <> 'request_info' OR took_verified);
