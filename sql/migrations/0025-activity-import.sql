-- Activities that the daemon fetches from the provider between the end of a race and its settlement.
-- Source of the rules: rules/racing.md, Activities (an import that comes before due_at counts).

-- A setting that is on or off.
ALTER TABLE settled.setting
  DROP CONSTRAINT setting_kind,
  ADD CONSTRAINT setting_kind
    CHECK (kind IN ('span', 'spans', 'percent', 'shares', 'whole', 'zone', 'retention', 'switch'));

-- The end of the access token that the provider has refused a read with: reads wait for another one.
ALTER TABLE strava.connection ADD COLUMN refused_expiry timestamptz;

-- Who wants activities: the functions that another module has registered. Only the owner writes here.
CREATE TABLE strava.importer (
  is_it boolean PRIMARY KEY DEFAULT true CONSTRAINT importer_one CHECK (is_it),
  -- Signatures, such as f.g(jsonb): names survive a dump, object ids do not.
  wanted text NOT NULL,
  keep text NOT NULL
);

-- Athletes whose activities are to be listed before races are settled: one row for all races that are due together.
CREATE TABLE strava.import_request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  -- Activities that started in [since, before).
  since timestamptz NOT NULL,
  before timestamptz NOT NULL,
  -- The time is over then: nothing is called any more.
  until_at timestamptz NOT NULL,
  -- The page that is read next, and when.
  page integer NOT NULL DEFAULT 1,
  next_call_at timestamptz NOT NULL,
  CONSTRAINT import_request_once UNIQUE (athlete_id, until_at),
  CONSTRAINT import_request_span CHECK (since < before),
  CONSTRAINT import_request_page CHECK (page BETWEEN 1 AND 3)
);
CREATE INDEX import_request_next ON strava.import_request (next_call_at);
CREATE INDEX import_request_until ON strava.import_request (until_at);

-- Activities that were found and are not kept yet: their streams are to be fetched first.
CREATE TABLE strava.found_activity (
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  activity_id bigint NOT NULL,
  -- In the keys of racing.import_activity, without streams.
  summary jsonb NOT NULL,
  found_at timestamptz NOT NULL,
  -- The time is over then: it is kept without streams.
  until_at timestamptz NOT NULL,
  PRIMARY KEY (athlete_id, activity_id)
);
CREATE INDEX found_activity_next ON strava.found_activity (found_at);
CREATE INDEX found_activity_until ON strava.found_activity (until_at);
