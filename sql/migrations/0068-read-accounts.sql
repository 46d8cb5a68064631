-- Under which account reads were asked for and races entered. Source: Strava.docc/Reads.md, Racing.docc/Claims.md.
ALTER TABLE strava.read_request
  ADD COLUMN account bigint,
  ADD COLUMN was_read boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN strava.read_request.account IS
  'The account at the provider that showed the summary. Null: the request has no summary, or its account is not known.';
COMMENT ON COLUMN strava.read_request.was_read IS
  'Whether a listing was read and waits for its second look.';
UPDATE strava.read_request AS r SET account = c.provider_athlete_id
  FROM strava.connection AS c WHERE c.athlete_id = r.athlete_id AND r.summary IS NOT NULL;

ALTER TABLE racing.entry ADD COLUMN account bigint;
COMMENT ON COLUMN racing.entry.account IS
  'The account at the provider with which the athlete entered. Null: there was none, or it was entered before this column.';
