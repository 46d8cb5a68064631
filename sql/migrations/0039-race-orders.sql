-- An operator's command to settle or cancel a race is an order that a job carries out, however large the race is.
CREATE TABLE racing.race_order (
  id bigint GENERATED ALWAYS AS IDENTITY,
  race_id bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  overrides boolean NOT NULL,
  expected_hash text COLLATE "C",
  reason text,
  ordered_at timestamptz NOT NULL,
  finished_at timestamptz,
  rule text COLLATE "C",
  refusal text,
  answer jsonb,
  CONSTRAINT race_order_pkey PRIMARY KEY (id),
  CONSTRAINT race_order_race FOREIGN KEY (race_id) REFERENCES racing.race (id),
  CONSTRAINT race_order_kind CHECK (kind IN ('settle', 'cancel')),
  CONSTRAINT race_order_settles CHECK (kind = 'settle' OR NOT overrides AND expected_hash IS NULL),
  CONSTRAINT race_order_refusal CHECK ((rule IS NULL) = (refusal IS NULL)),
  CONSTRAINT race_order_finished
    CHECK ((finished_at IS NOT NULL)::integer = (rule IS NOT NULL)::integer + (answer IS NOT NULL)::integer)
);
CREATE UNIQUE INDEX race_order_open ON racing.race_order (race_id) WHERE finished_at IS NULL;
CREATE INDEX race_order_of_race ON racing.race_order (race_id, id);
CREATE INDEX race_order_due ON racing.race_order (ordered_at, race_id) WHERE finished_at IS NULL;
COMMENT ON TABLE racing.race_order IS 'What operators ordered about races; the job race-orders carries it out.';
COMMENT ON COLUMN racing.race_order.overrides IS 'Whether grace and hold are skipped.';
COMMENT ON COLUMN racing.race_order.expected_hash IS 'The hash of the inputs that the operator saw; null for any.';
COMMENT ON COLUMN racing.race_order.reason IS 'The operator''s reason, which the event of a cancellation carries.';
COMMENT ON COLUMN racing.race_order.finished_at IS 'When it was carried out or refused.';
COMMENT ON COLUMN racing.race_order.rule IS 'The rule that refused it; null where none did.';
COMMENT ON COLUMN racing.race_order.refusal IS 'The refusal in words.';
COMMENT ON COLUMN racing.race_order.answer IS 'The answer that the operator gets.';
