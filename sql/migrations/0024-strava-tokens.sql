-- Tokens of the provider of activities: how they are kept, when the provider is called next, and what came of the calls.
-- Source of the rules: rules/strava.md.

DROP TRIGGER IF EXISTS bell ON strava.connection;
-- These have other arguments now.
DROP FUNCTION IF EXISTS settled.note_calls(text, bigint[], bigint[], bigint[], text, text);
DROP FUNCTION IF EXISTS settled.take_calls(text, bigint[], text[], bigint, bigint);
-- How many of the calls may use what is kept of the window: they have a share of their own.
ALTER TABLE settled.call_window
  ADD COLUMN used_with_reserve bigint NOT NULL DEFAULT 0
    CONSTRAINT call_window_used_with_reserve CHECK (used_with_reserve BETWEEN 0 AND used);

ALTER TABLE strava.connection
  -- The athlete's number at the provider; two of our athletes never share one.
  ADD COLUMN provider_athlete_id bigint,
  -- Why the athlete has to connect again.
  ADD COLUMN reason text,
  -- Raised each time the app connects or disconnects, so that a late reply finds out.
  ADD COLUMN attempt bigint NOT NULL DEFAULT 1,
  -- How often the provider has given tokens. It stays when they are forgotten, so that no late reply meets its number again.
  ADD COLUMN tokens_given bigint NOT NULL DEFAULT 0,
  -- When the access token ends, by the provider.
  ADD COLUMN expires_at timestamptz,
  -- When the daemon calls the provider next: to exchange the code, to refresh, or to revoke. Null: no call is needed.
  ADD COLUMN next_call_at timestamptz,
  -- When the tokens were asked for last: they are asked for every 15 minutes at most.
  ADD COLUMN refreshed_at timestamptz,
  -- Whether the athlete has entered races that have not ended yet; strava.race_period says which time they take.
  ADD COLUMN is_in_races boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT connection_provider_athlete UNIQUE (provider_athlete_id),
  ADD CONSTRAINT connection_reason CHECK ((reason IS NULL) = (status <> 'needs_reauth'));

-- What must not be read: an authorization code, or the refresh token of a connection.
CREATE TABLE strava.secret (
  kind text NOT NULL CONSTRAINT secret_kind CHECK (kind IN ('code', 'refresh')),
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  -- The connection's attempt that a code belongs to; how often the provider had given tokens with this refresh token.
  number bigint NOT NULL,
  -- The key that seals it; null: as the app handed it in, until the daemon seals it.
  key_id text,
  secret bytea NOT NULL,
  written_at timestamptz NOT NULL,
  PRIMARY KEY (kind, athlete_id)
);
CREATE INDEX secret_to_seal ON strava.secret (written_at) WHERE key_id IS NULL;
CREATE INDEX secret_key ON strava.secret (key_id, written_at);

-- Access tokens, in clear: read by strava.access_token alone, because SQL cannot unseal.
CREATE TABLE strava.access (
  athlete_id bigint PRIMARY KEY REFERENCES strava.connection,
  token text NOT NULL
);

-- The keys that seal, by the beginning of their digest. The one that is not retired seals what is written.
CREATE TABLE strava.sealing_key (
  key_id text PRIMARY KEY,
  began_at timestamptz NOT NULL,
  retired_at timestamptz
);
CREATE UNIQUE INDEX sealing_key_present ON strava.sealing_key ((true)) WHERE retired_at IS NULL;

-- Calls whose reply did not come, although the provider may have done what was asked: a refresh kills the token that it was
-- made with. One row for each token, or code, however often it was tried; none where a later reply brought the tokens.
CREATE TABLE strava.lost_reply (
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  kind text NOT NULL CONSTRAINT lost_reply_kind CHECK (kind IN ('code', 'refresh')),
  number bigint NOT NULL,
  -- wire: the reply was lost on its way. node: the node that waited for it ended or hung.
  cause text NOT NULL CONSTRAINT lost_reply_cause CHECK (cause IN ('wire', 'node')),
  lost_at timestamptz NOT NULL,
  -- The provider has refused the token or code since: the athlete must connect again.
  is_lost boolean NOT NULL DEFAULT false,
  PRIMARY KEY (athlete_id, kind, number)
);
CREATE INDEX lost_reply_at ON strava.lost_reply (lost_at);

-- What went wrong with calls, by class, since the beginning.
CREATE TABLE strava.call_error (
  class text PRIMARY KEY,
  count bigint NOT NULL,
  last_at timestamptz NOT NULL
);

-- How the provider does, in one row: after so many failures in a row one call at a time tries whether it is back.
CREATE TABLE strava.provider (
  is_it boolean PRIMARY KEY DEFAULT true CONSTRAINT provider_one CHECK (is_it),
  failures_in_row bigint NOT NULL DEFAULT 0,
  -- Since when the breaker is open, and the class of the failure that opened it.
  open_since timestamptz,
  open_class text,
  CONSTRAINT provider_open CHECK ((open_since IS NULL) = (open_class IS NULL))
);
INSERT INTO strava.provider DEFAULT VALUES;

-- The times in which an athlete's tokens come first.
CREATE TABLE strava.race_period (
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  PRIMARY KEY (athlete_id, ends_at, starts_at)
);
INSERT INTO strava.race_period (athlete_id, starts_at, ends_at)
  SELECT DISTINCT e.athlete_id, r.starts_at, r.ends_at
  FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id JOIN strava.connection AS c ON c.athlete_id = e.athlete_id
  WHERE r.status IN ('upcoming', 'active');
UPDATE strava.connection AS c SET is_in_races = true
  WHERE EXISTS (SELECT FROM strava.race_period AS p WHERE p.athlete_id = c.athlete_id);

-- Codes that wait for the daemon: they were kept in the connection.
INSERT INTO strava.secret (kind, athlete_id, number, secret, written_at)
  SELECT 'code', c.athlete_id, c.attempt, convert_to(c.authorization_code, 'UTF8'), c.changed_at
  FROM strava.connection AS c WHERE c.authorization_code IS NOT NULL;
UPDATE strava.connection SET next_call_at = changed_at WHERE authorization_code IS NOT NULL;
ALTER TABLE strava.connection DROP CONSTRAINT connection_code, DROP COLUMN authorization_code;

CREATE INDEX connection_status ON strava.connection (status);
CREATE INDEX connection_to_exchange ON strava.connection (next_call_at) WHERE status = 'connecting';
CREATE INDEX connection_to_revoke ON strava.connection (next_call_at) WHERE status = 'revoked';
CREATE INDEX connection_to_refresh ON strava.connection (next_call_at) WHERE status = 'active';
CREATE INDEX connection_by_end ON strava.connection (expires_at) WHERE status = 'active';
CREATE INDEX connection_of_racer ON strava.connection (next_call_at) WHERE status = 'active' AND is_in_races;
