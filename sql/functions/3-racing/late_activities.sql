-- Finds the settled races with a revision that held activities which have just been verified. A paid race is marked
-- for its correction; a void one stays as it is, with an event. Races are left out that an activity was proved too
-- late for. Yields the marked races.
-- The caller holds the activities, then the races that their athletes have entered and whose window holds them. Source:
-- Racing.docc/Corrections.md, "What counts".
CREATE OR REPLACE FUNCTION racing.verified_late(activities bigint[], now timestamptz)
RETURNS bigint[]
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  WITH late AS (
    INSERT INTO racing.late_activity (race_id, activity_id, verified_at)
    SELECT r.id, a.id, verified_late.now
    FROM racing.activity AS a
    JOIN racing.entry AS e ON e.athlete_id = a.athlete_id
    JOIN racing.race AS r ON r.id = e.race_id AND r.starts_at <= a.started_at AND a.started_at < r.ends_at
    WHERE a.id = ANY (activities) AND a.status = 'verified' AND a.deleted_at IS NULL
      AND coalesce(a.shown_again_at < r.due_at, true)
      -- A claim that was rejected and is claimed again has the id that was held, and comes too late.
      AND a.imported_at < r.due_at AND r.id <> ALL (a.late_for)
      AND EXISTS (SELECT FROM racing.settlement AS s WHERE s.race_id = r.id AND a.id = ANY (s.held_activities))
    ON CONFLICT ON CONSTRAINT late_activity_once DO NOTHING
    RETURNING race_id, activity_id
  ), judged AS (
    SELECT l.race_id, l.activity_id, (
      SELECT s.outcome FROM racing.settlement AS s WHERE s.race_id = l.race_id ORDER BY s.revision DESC LIMIT 1
    ) AS outcome
    FROM late AS l
  ), marked AS (
    UPDATE racing.race AS r SET correction_due_at = coalesce(r.correction_due_at, verified_late.now)
    WHERE r.id IN (SELECT j.race_id FROM judged AS j WHERE j.outcome = 'paid')
    RETURNING r.id
  ), told AS (
    INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT 'race.approval_after_void', j.race_id::text,
      jsonb_build_object('raceId', j.race_id, 'activityId', j.activity_id), verified_late.now
    FROM judged AS j WHERE j.outcome = 'void' ORDER BY j.race_id, j.activity_id
  )
  SELECT coalesce(array_agg(m.id ORDER BY m.id), '{}') FROM marked AS m
$$;

-- The name that releases before 6 gave it: it names a column that is gone.
DROP FUNCTION IF EXISTS racing.look_again(bigint[]);
-- Races that wait for held activities are checked again at once. The caller has locked them.
CREATE OR REPLACE FUNCTION racing.check_again(races bigint[])
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE racing.race AS r SET next_check_at = r.due_at, waiting_activities = '{}'
  WHERE r.id = ANY (races) AND r.status = 'ended' AND r.next_check_at <> r.due_at
$$;

-- A threshold that rises may end a wait, and so may a shorter hold of claims.
CREATE OR REPLACE FUNCTION racing.flag_threshold_changed()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM racing.check_again(ARRAY(
    SELECT r.id FROM racing.race AS r WHERE r.status = 'ended' AND r.next_check_at <> r.due_at
    ORDER BY r.id FOR NO KEY UPDATE));
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER flag_threshold AFTER UPDATE OF value ON settled.setting
  FOR EACH ROW WHEN (new.key IN ('racing.flag_threshold', 'racing.provider_hold') AND new.value IS DISTINCT FROM old.value)
  EXECUTE FUNCTION racing.flag_threshold_changed();

-- A daemon of a former release waits for a claim as for a review, up to days. Its wait ends after a quarter of an hour,
-- so that it does not outlive that daemon: the next one decides by the claim's own hold.
CREATE OR REPLACE FUNCTION racing.cut_former_wait()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NEW.knows_claims THEN
    NEW.knows_claims := false;
  ELSIF EXISTS (SELECT FROM racing.claim AS c WHERE c.id = ANY (NEW.waiting_activities) AND c.rejected_at IS NULL) THEN
    NEW.next_check_at := least(NEW.next_check_at, greatest(NEW.due_at, settled.clock()) + interval '15 minutes');
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER cut_former_wait BEFORE UPDATE OF next_check_at ON racing.race
  FOR EACH ROW WHEN (new.waiting_activities <> '{}') EXECUTE FUNCTION racing.cut_former_wait();

SELECT settled.declare_callers('racing', daemon => '{verified_late, check_again}');
