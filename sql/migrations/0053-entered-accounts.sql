-- Accounts at the provider that have entered races, and which nodes call the provider.

-- A provider account that has entered a race belongs to its athlete for good, also when the connection forgets it.
CREATE TABLE racing.entered_account (
  provider_athlete_id bigint PRIMARY KEY,
  athlete_id bigint NOT NULL REFERENCES racing.athlete
);
CREATE INDEX entered_account_athlete ON racing.entered_account (athlete_id);
COMMENT ON TABLE racing.entered_account IS
  'Accounts at the provider that have entered a race: no other athlete connects with them. An erased athlete''s are deleted.';
COMMENT ON COLUMN racing.entered_account.provider_athlete_id IS 'The athlete''s number at the provider.';
CREATE TABLE strava.account_keeper (
  is_it boolean PRIMARY KEY DEFAULT true CONSTRAINT account_keeper_one CHECK (is_it),
  claim text NOT NULL,
  keep_gender text NOT NULL
);
COMMENT ON TABLE strava.account_keeper IS
  'Who keeps accounts at the provider: the functions that another module has registered. Only the owner writes here.';
COMMENT ON COLUMN strava.account_keeper.claim IS
  'Signatures, such as f.g(bigint, bigint): names survive a dump, object ids do not.';

ALTER TABLE settled.node ADD COLUMN has_provider boolean;
COMMENT ON COLUMN settled.node.has_provider IS
  'Whether the node is configured to call the provider of activities. Null: of a former release''s node it is not known.';
