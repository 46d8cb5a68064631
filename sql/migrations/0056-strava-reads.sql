-- Everything that is read with an athlete's token waits in one queue, so that one order holds for all reads.
-- Source of the rules: Strava.docc/Reads.md.

CREATE TABLE strava.read_request (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  athlete_id bigint NOT NULL REFERENCES strava.connection,
  kind text COLLATE "C" NOT NULL CONSTRAINT read_request_kind CHECK (kind IN ('listing', 'activity', 'streams')),
  activity_id bigint NOT NULL DEFAULT 0,
  class integer NOT NULL CONSTRAINT read_request_class CHECK (class BETWEEN 0 AND 3),
  turn bigint NOT NULL,
  asked_at timestamptz NOT NULL,
  next_call_at timestamptz,
  until_at timestamptz NOT NULL,
  follows_switch boolean NOT NULL DEFAULT false,
  since timestamptz,
  before timestamptz,
  page integer,
  began_at timestamptz,
  summary jsonb,
  CONSTRAINT read_request_activity CHECK ((kind = 'listing') = (activity_id = 0)),
  CONSTRAINT read_request_span
    CHECK (CASE kind WHEN 'listing' THEN coalesce(since < before, false) ELSE num_nonnulls(since, before) = 0 END),
  CONSTRAINT read_request_page
    CHECK (CASE kind WHEN 'listing' THEN coalesce(page BETWEEN 1 AND 3, false) ELSE page IS NULL END),
  CONSTRAINT read_request_summary CHECK ((kind = 'streams') = (summary IS NOT NULL))
);
CREATE UNIQUE INDEX read_request_of_result ON strava.read_request (athlete_id, until_at)
  WHERE kind = 'listing' AND class = 0;
CREATE UNIQUE INDEX read_request_of_athlete ON strava.read_request (athlete_id) WHERE kind = 'listing' AND class > 0;
CREATE UNIQUE INDEX read_request_of_activity ON strava.read_request (athlete_id, activity_id, kind)
  WHERE kind <> 'listing';
CREATE INDEX read_request_line ON strava.read_request (class, turn, id) WHERE next_call_at IS NULL;
CREATE INDEX read_request_waiting ON strava.read_request (next_call_at) WHERE next_call_at IS NOT NULL;
CREATE INDEX read_request_until ON strava.read_request (until_at);
CREATE INDEX read_request_switch ON strava.read_request (asked_at) WHERE follows_switch;
COMMENT ON TABLE strava.read_request IS 'What the daemon is to read at the provider with an athlete''s token.';
COMMENT ON COLUMN strava.read_request.kind IS
  'A listing of the athlete''s activities, one activity by its id, or the streams of one.';
COMMENT ON COLUMN strava.read_request.activity_id IS 'The provider''s id. 0: a listing has none.';
COMMENT ON COLUMN strava.read_request.class IS
  'Who comes first: 0 results that are due, 1 claims of entrants, 2 claims of others, 3 hints.';
COMMENT ON COLUMN strava.read_request.turn IS
  'The order in a class. Of results: a million times the seconds of until_at, and on; of others: the athlete''s turn.';
COMMENT ON COLUMN strava.read_request.asked_at IS 'The latest instant at which it was asked for.';
COMMENT ON COLUMN strava.read_request.next_call_at IS
  'It waits until then; infinity: for the athlete''s next token. Null: it is in line.';
COMMENT ON COLUMN strava.read_request.until_at IS 'The request expires then.';
COMMENT ON COLUMN strava.read_request.follows_switch IS 'Whether it is dropped when strava.import is off.';
COMMENT ON COLUMN strava.read_request.since IS 'Activities that started at this instant or later, and';
COMMENT ON COLUMN strava.read_request.before IS 'before this one.';
COMMENT ON COLUMN strava.read_request.page IS 'The page to read next.';
COMMENT ON COLUMN strava.read_request.began_at IS
  'When the first page of this listing was claimed. Null: it has not begun.';
COMMENT ON COLUMN strava.read_request.summary IS
  'Of an activity whose streams are read: in the keys of racing.import_activity, without streams.';

CREATE TABLE strava.reader (
  is_it boolean PRIMARY KEY DEFAULT true CONSTRAINT reader_one CHECK (is_it),
  take_listing text NOT NULL,
  take_activity text NOT NULL,
  take_streams text NOT NULL,
  end_read text NOT NULL,
  demand text
);
COMMENT ON TABLE strava.reader IS 'One row: the functions of the module that takes what is read.';
COMMENT ON COLUMN strava.reader.take_listing IS 'The signature of the function that takes a page of a listing.';
COMMENT ON COLUMN strava.reader.take_activity IS 'The signature of the function that takes one activity.';
COMMENT ON COLUMN strava.reader.take_streams IS
  'The signature of the function that takes an activity with its streams.';
COMMENT ON COLUMN strava.reader.end_read IS 'The signature of the function that learns that a request has expired.';
COMMENT ON COLUMN strava.reader.demand IS 'The signature of the function that counts the reads of results. Null: none.';

ALTER TABLE strava.connection
  ADD COLUMN read_turns bigint[] NOT NULL DEFAULT '{0,0,0}',
  ADD COLUMN listed_at timestamptz;
COMMENT ON COLUMN strava.connection.read_turns IS 'The latest turns of the athlete''s reads in the classes 1 to 3.';
COMMENT ON COLUMN strava.connection.listed_at IS 'When the latest listing that was answered began.';
ALTER TABLE strava.provider ADD COLUMN read_turns bigint[] NOT NULL DEFAULT '{0,0,0}';
COMMENT ON COLUMN strava.provider.read_turns IS 'The turns that are being served in the classes 1 to 3 of reads.';

ALTER TABLE settled.call_window ADD COLUMN short_at timestamptz;
COMMENT ON COLUMN settled.call_window.short_at IS
  'The latest instant at which more calls were wanted than were left. Null: never.';

-- These wait for nothing any more: read_request has taken their rows.
COMMENT ON TABLE strava.import_request IS
  'Unused since release 8 of the functions: a former daemon looks here. A later release drops it.';
COMMENT ON TABLE strava.found_activity IS
  'Unused since release 8 of the functions: a former daemon looks here. A later release drops it.';
COMMENT ON TABLE strava.importer IS 'Unused since release 8 of the functions. A later release drops it.';
