-- Under which account at the provider a claim was made. Source: Racing.docc/Claims.md, "Late proof".
ALTER TABLE racing.claim ADD COLUMN account bigint;
COMMENT ON COLUMN racing.claim.account IS
  'The account at the provider with which its athlete was connected. Null: the provider had named none yet.';
UPDATE racing.claim AS c SET account = n.provider_athlete_id FROM strava.connection AS n WHERE n.athlete_id = c.athlete_id;

COMMENT ON COLUMN racing.activity.is_changed_late IS
  'Whether it was proved after the due instant of a race, with other values than were claimed, or without a claim in time.';
ALTER TABLE racing.review VALIDATE CONSTRAINT review_reasons;
