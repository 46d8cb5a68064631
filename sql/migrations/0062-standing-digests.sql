-- What outlives the streams of an activity, when one was shown again, and waits of former daemons.
-- Source: Racing.docc/Moderation.md, Racing.docc/ProviderChanges.md, Racing.docc/Holds.md.
ALTER TABLE racing.activity
  ADD COLUMN streams_digest bytea,
  ADD COLUMN shown_again_at timestamptz;
COMMENT ON COLUMN racing.activity.streams_digest IS
  'SHA-256 of the streams as they were imported; it outlives them. Null: there were none, or it was not reckoned yet.';
COMMENT ON COLUMN racing.activity.shown_again_at IS
  'When the provider last showed it after a deletion. It counts in races that were not due then. Null: never.';

-- Of what was approved the digest is kept from now on; of the rest with the next approval or import.
UPDATE racing.activity AS a SET streams_digest = sha256(array_send(s.times) || array_send(s.distances))
  FROM racing.activity_stream AS s
  WHERE s.activity_id = a.id
    AND EXISTS (SELECT FROM racing.decision AS d WHERE d.activity_id = a.id AND d.decision = 'approve');

ALTER TABLE racing.race ADD COLUMN knows_claims boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN racing.race.knows_claims IS
  'Set by a daemon that knows claims, in the statement by which a race waits; a trigger takes it back.';
