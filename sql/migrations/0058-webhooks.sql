-- Webhooks: the subscription at the provider, the hints that came, and whether one is doubted to be a grant's end.

CREATE TABLE strava.subscription (
  is_it boolean PRIMARY KEY DEFAULT true CONSTRAINT subscription_one CHECK (is_it),
  callback text NOT NULL,
  path_digest bytea NOT NULL,
  verify_digest bytea NOT NULL,
  asked_at timestamptz NOT NULL,
  subscription_id bigint,
  confirmed_at timestamptz,
  CONSTRAINT subscription_digests CHECK (octet_length(path_digest) = 32 AND octet_length(verify_digest) = 32),
  CONSTRAINT subscription_confirmed CHECK ((subscription_id IS NULL) = (confirmed_at IS NULL))
);
COMMENT ON TABLE strava.subscription IS
  'The subscription to the provider''s webhooks: an application has one. Secrets are kept as digests.';
COMMENT ON COLUMN strava.subscription.callback IS 'The base under which the provider reaches a gateway.';
COMMENT ON COLUMN strava.subscription.path_digest IS 'SHA-256 of the secret in the path that the provider calls.';
COMMENT ON COLUMN strava.subscription.verify_digest IS
  'SHA-256 of the token with which the provider validates the path.';
COMMENT ON COLUMN strava.subscription.subscription_id IS
  'The provider''s number of the subscription. Null: its answer has not come.';

CREATE TABLE strava.hint (
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  kind text COLLATE "C" NOT NULL CONSTRAINT hint_kind CHECK (kind IN ('create', 'update', 'delete', 'revoke')),
  object_id bigint NOT NULL,
  event_at timestamptz NOT NULL,
  digest bytea NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (athlete_id, kind, object_id)
);
CREATE INDEX hint_received ON strava.hint (received_at);
COMMENT ON TABLE strava.hint IS
  'What the provider hinted at: one row for each athlete, kind and thing, for 7 days. Nobody signs hints: each only asks for a read.';
COMMENT ON COLUMN strava.hint.kind IS 'Of an activity: create, update, delete. Of the athlete: revoke.';
COMMENT ON COLUMN strava.hint.object_id IS 'The provider''s number of the activity or athlete.';
COMMENT ON COLUMN strava.hint.event_at IS 'When it happened by the provider; at the latest when the hint came.';
COMMENT ON COLUMN strava.hint.digest IS 'SHA-256 of the hint: the same one again asks for nothing.';

CREATE TABLE strava.hint_taker (
  is_it boolean PRIMARY KEY DEFAULT true CONSTRAINT hint_taker_one CHECK (is_it),
  follows text NOT NULL,
  revoke text NOT NULL
);
COMMENT ON TABLE strava.hint_taker IS
  'Who decides about hints: the functions that another module has registered. Only the owner writes here.';
COMMENT ON COLUMN strava.hint_taker.follows IS
  'Signatures, such as f.g(bigint, bigint): names survive a dump, object ids do not.';

ALTER TABLE strava.connection ADD COLUMN doubted_generation bigint;
COMMENT ON COLUMN strava.connection.doubted_generation IS
  'A hint names the end of the grant: the refresh token of this generation decides, or a later one. Null: there is no doubt.';
