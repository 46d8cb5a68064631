-- What outlives the streams of an activity, when one was shown again, and waits of former daemons.
-- Source: Racing.docc/Moderation.md, Racing.docc/ProviderChanges.md, Racing.docc/Holds.md.
-- The text before also filled streams_digest, which 0065 does.
-- replaces: f647bd65663bee1908de1d19870b2e59c178db8a5e8438e525e017b64fbb7184
ALTER TABLE racing.activity
  ADD COLUMN streams_digest bytea,
  ADD COLUMN shown_again_at timestamptz;
COMMENT ON COLUMN racing.activity.streams_digest IS
  'SHA-256 of the streams as they were imported; it outlives them. Null: there were none, or it was not reckoned yet.';
COMMENT ON COLUMN racing.activity.shown_again_at IS
  'When the provider last showed it after a deletion. It counts in races that were not due then. Null: never.';

ALTER TABLE racing.race ADD COLUMN knows_claims boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN racing.race.knows_claims IS
  'Set by a daemon that knows claims, in the statement by which a race waits; a trigger takes it back.';
