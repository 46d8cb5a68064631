-- Kept answers are erased with the person whose they are. Their callers are digests, so here is who a caller was.
CREATE TABLE gateway.caller_person (
  person text COLLATE "C" NOT NULL,
  caller text COLLATE "C" NOT NULL,
  seen_at timestamptz NOT NULL,
  CONSTRAINT caller_person_pkey PRIMARY KEY (person, caller),
  CONSTRAINT caller_person_person CHECK (person ~ '^(account|athlete|runner|username|reader|checkin):.{1,200}$'),
  CONSTRAINT caller_person_caller CHECK (length(caller) BETWEEN 1 AND 200)
);
COMMENT ON TABLE gateway.caller_person IS 'The persons that callers with kept answers are; one that has none any more is deleted after a month.';
COMMENT ON COLUMN gateway.caller_person.person IS 'As account:17, athlete:42 or username:coach.';
COMMENT ON COLUMN gateway.caller_person.caller IS 'As in gateway.answer.';
COMMENT ON COLUMN gateway.caller_person.seen_at IS 'A real time, at most a day before the latest answer that was kept.';

-- The same value is the same request, however it is written. A gateway of the former release compares texts.
ALTER TABLE gateway.answer ADD COLUMN value_fingerprint text;
ALTER TABLE gateway.answer ADD CONSTRAINT answer_value_fingerprint CHECK (length(value_fingerprint) BETWEEN 1 AND 200);
COMMENT ON COLUMN gateway.answer.value_fingerprint IS 'Of the value that the request writes: members by name, numbers by value; null: of a former release.';
