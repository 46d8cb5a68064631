CREATE TABLE racing.claim (
  id bigint CONSTRAINT claim_pkey PRIMARY KEY,
  athlete_id bigint NOT NULL CONSTRAINT claim_athlete REFERENCES racing.athlete,
  strava_id bigint NOT NULL CONSTRAINT claim_strava_id CHECK (strava_id > 0),
  started_at timestamptz NOT NULL,
  claimed_at timestamptz NOT NULL,
  until_at timestamptz NOT NULL,
  content jsonb NOT NULL,
  reason text CONSTRAINT claim_reason CHECK (reason IN ('provider', 'scope')),
  rejected_at timestamptz,
  CONSTRAINT claim_once UNIQUE (athlete_id, strava_id),
  CONSTRAINT claim_rejected CHECK (rejected_at IS NULL OR reason IS NOT NULL)
);
CREATE INDEX claim_open ON racing.claim (athlete_id, started_at) WHERE rejected_at IS NULL;
CREATE INDEX claim_strava ON racing.claim (strava_id);
CREATE INDEX claim_ended ON racing.claim (rejected_at) WHERE rejected_at IS NOT NULL;

COMMENT ON TABLE racing.claim IS
  'Activities that athletes claim and the provider has not confirmed. Proof replaces the row by an activity of the same id.';
COMMENT ON COLUMN racing.claim.id IS 'From the sequence of racing.activity.';
COMMENT ON COLUMN racing.claim.strava_id IS 'The claimed activity at the provider; any number of athletes may claim it.';
COMMENT ON COLUMN racing.claim.started_at IS 'The start as claimed: the claim is held in races whose window has it.';
COMMENT ON COLUMN racing.claim.claimed_at IS 'The activity that proof makes counts as imported then.';
COMMENT ON COLUMN racing.claim.until_at IS 'The provider is asked until then.';
COMMENT ON COLUMN racing.claim.content IS 'What was sent, without streams, in the keys of an import. Only its athlete sees it.';
COMMENT ON COLUMN racing.claim.reason IS
  'Of a rejected claim: why. Of an open one, scope: the connection lacks the scope with which the provider would show it.';
COMMENT ON COLUMN racing.claim.rejected_at IS 'Null: open.';

-- By this its numbers count when the sequence is looked at after logical replication.
ALTER TABLE racing.claim ALTER COLUMN id SET DEFAULT nextval('racing.activity_id_seq');

-- A listing that has shown a claim leaves nothing to ask, although its streams are yet to come.
ALTER TABLE racing.claim ADD COLUMN shown_at timestamptz;
COMMENT ON COLUMN racing.claim.shown_at IS 'When the provider last showed it as its athlete''s and its streams were asked for.';

-- An id that proof gives to another athlete is displaced: the activity that had it never counts.
ALTER TABLE racing.activity
  ADD COLUMN is_proved boolean NOT NULL DEFAULT false,
  ADD COLUMN displaced_strava_id bigint,
  ADD COLUMN disputed_at timestamptz,
  ALTER COLUMN strava_id DROP NOT NULL,
  ADD CONSTRAINT activity_displaced CHECK (num_nonnulls(strava_id, displaced_strava_id) = 1
    AND (strava_id IS NOT NULL OR status IN ('rejected', 'disqualified'))) NOT VALID,
  DROP CONSTRAINT activity_reasons,
  ADD CONSTRAINT activity_reasons
    CHECK ((status = 'rejected') = (reasons <> '{}') AND reasons <@ '{type,gps,uk,provider}') NOT VALID;
COMMENT ON COLUMN racing.activity.strava_id IS 'Null: proof gave the id to another athlete.';
COMMENT ON COLUMN racing.activity.is_proved IS 'Whether the provider has shown it as its athlete''s.';
COMMENT ON COLUMN racing.activity.displaced_strava_id IS 'The id that proof gave to another athlete.';
COMMENT ON COLUMN racing.activity.disputed_at IS
  'When the provider first showed it as another athlete''s, after it had counted in a settled race.';

COMMENT ON COLUMN racing.race.waiting_activities IS
  'The held activities and the open claims that the settlement waits for.';
COMMENT ON COLUMN racing.settlement.held_activities IS
  'The activities that were held when the race settled, and the claims that were open.';
