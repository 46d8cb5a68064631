-- What has become of activities at the provider since they came (Racing.docc/ProviderChanges.md). No activity is read.
ALTER TABLE racing.activity
  ADD COLUMN shown_at timestamptz,
  ADD COLUMN deleted_at timestamptz,
  ADD COLUMN forgotten_at timestamptz;
COMMENT ON COLUMN racing.activity.shown_at IS 'When the provider last showed it. Null: not since it came.';
COMMENT ON COLUMN racing.activity.deleted_at IS
  'When it was found that the provider has it no more. It counts only where a settlement had counted it.';
COMMENT ON COLUMN racing.activity.forgotten_at IS 'When its name, places, track and streams went.';

CREATE TABLE racing.deletion (
  activity_id bigint CONSTRAINT deletion_pkey PRIMARY KEY REFERENCES racing.activity,
  forget_at timestamptz NOT NULL
);
CREATE INDEX deletion_due ON racing.deletion (forget_at);
COMMENT ON TABLE racing.deletion IS 'Deleted activities whose name, places, track and streams are still here.';
COMMENT ON COLUMN racing.deletion.forget_at IS 'When they go.';

CREATE TABLE racing.revocation (
  athlete_id bigint REFERENCES racing.athlete,
  provider_athlete_id bigint,
  revoked_at timestamptz NOT NULL,
  forget_at timestamptz NOT NULL,
  CONSTRAINT revocation_pkey PRIMARY KEY (athlete_id, provider_athlete_id)
);
CREATE INDEX revocation_due ON racing.revocation (forget_at);
COMMENT ON TABLE racing.revocation IS
  'Connections that were revoked: names, places, tracks and streams of the athletes'' activities go.';
COMMENT ON COLUMN racing.revocation.provider_athlete_id IS
  'The account of the connection; 0: it was not known. Who connects with it again ends the revocation.';
COMMENT ON COLUMN racing.revocation.revoked_at IS 'Activities that were imported later stay.';
COMMENT ON COLUMN racing.revocation.forget_at IS 'When they go.';

-- Who disconnected before this rule existed. Of erased athletes nothing is left.
INSERT INTO racing.revocation (athlete_id, provider_athlete_id, revoked_at, forget_at)
  SELECT c.athlete_id, coalesce(c.provider_athlete_id, 0), c.changed_at, c.changed_at + interval '24 hours'
  FROM strava.connection AS c JOIN racing.athlete AS a ON a.id = c.athlete_id
  WHERE c.status = 'revoked' AND a.erased_at IS NULL;

CREATE TABLE racing.stream_pruning (
  is_it boolean CONSTRAINT stream_pruning_pkey PRIMARY KEY DEFAULT true CONSTRAINT stream_pruning_one CHECK (is_it),
  activity_id bigint NOT NULL
);
COMMENT ON TABLE racing.stream_pruning IS 'Where the next run of stream-pruning continues.';
COMMENT ON COLUMN racing.stream_pruning.activity_id IS 'The last activity whose streams were looked at; 0: none.';
INSERT INTO racing.stream_pruning (activity_id) VALUES (0);
