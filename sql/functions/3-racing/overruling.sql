-- Administrators' decisions, which overrule those of moderators, and entries that come back by them. Source:
-- Racing.docc/Moderation.md, "Overruling".

-- Why an administrator's decision is refused; null where it may be made. Rule `same`: it stands, and nothing is open.
-- No decision of a moderator stops it, nor the end of the review window.
CREATE OR REPLACE FUNCTION racing.overrule_refusal(activity racing.activity, decision text)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT CASE
    -- Proof gave its id to another athlete: it never counts.
    WHEN activity.strava_id IS NULL AND overrule_refusal.decision = 'approve'
      THEN jsonb_build_object('rule', 'status', 'status', activity.status)
    WHEN racing.has_open_case(activity) THEN NULL
    WHEN last.is_overruling AND last.decision = overrule_refusal.decision AND last.decided_at >= activity.imported_at
      THEN jsonb_build_object('rule', 'same')
    WHEN last.id IS NOT NULL OR overrule_refusal.decision = 'disqualify' AND activity.status = 'verified' THEN NULL
    ELSE jsonb_build_object('rule', 'status', 'status', activity.status) END
  FROM racing.final_decision(activity.id) AS last
$$;

-- Takes a fee that went back again, as a correction takes: from the wallet as far as its balance reaches, and the rest
-- is owed. The caller has locked the race and counted the reinstatement, by which the journal is named.
CREATE OR REPLACE FUNCTION racing.take_fee_again(entry racing.entry, now timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  wallet racing.wallet;
  taken bigint;
  new_journal bigint;
BEGIN
  SELECT w.* INTO wallet FROM racing.wallet AS w WHERE w.athlete_id = entry.athlete_id FOR NO KEY UPDATE;
  taken := least(entry.fee_pence, wallet.balance_pence);
  INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
    VALUES ('correction', format('entry/%s/fee/%s', entry.id, entry.reinstatement_count), entry.race_id,
      format('Entry fee of a reinstated entry, race %s', entry.race_id), now)
    RETURNING id INTO new_journal;
  UPDATE racing.wallet AS w
    SET balance_pence = w.balance_pence - taken, receivable_pence = w.receivable_pence + entry.fee_pence - taken
    WHERE w.athlete_id = entry.athlete_id;
  INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
    SELECT new_journal, p.account, p.athlete, p.race, entry.id, p.pence, p.balance
    FROM (VALUES
      ('pool', NULL::bigint, entry.race_id, entry.fee_pence, NULL::bigint),
      ('receivable', entry.athlete_id, NULL, taken - entry.fee_pence, NULL),
      ('wallet', entry.athlete_id, NULL, -taken, wallet.balance_pence - taken))
      AS p (account, athlete, race, pence, balance)
    WHERE p.account = 'wallet' OR p.pence <> 0;
END
$$;

-- Brings back the entries that are out by an activity which counts again, unless another disqualified activity spoils
-- them as well. In a race that is not settled they take part at once, and a fee that went back is taken again. A race
-- that is settled is marked: its next correction brings them back. Void and cancelled races do not change. Yields the
-- races. The caller has locked them, and the activity, given as it was before, is not disqualified any more.
CREATE OR REPLACE FUNCTION racing.reinstate_entries(activity racing.activity, now timestamptz)
RETURNS bigint[]
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  spoiled record;
  back racing.entry;
  affected bigint[] := '{}'::bigint[];
BEGIN
  FOR spoiled IN
    SELECT e.id, e.race_id, e.status, e.is_refunded, r.status AS race_status, o.outcome, o.was_held, x.id AS other
    FROM racing.entry AS e
    JOIN racing.race AS r ON r.id = e.race_id AND r.status <> 'cancelled'
    LEFT JOIN LATERAL (
      SELECT s.outcome, EXISTS (
          SELECT FROM racing.settlement AS h
          WHERE h.race_id = r.id AND activity.id = ANY (h.held_activities)) AS was_held
      FROM racing.settlement AS s WHERE s.race_id = r.id ORDER BY s.revision DESC LIMIT 1
    ) AS o ON true
    LEFT JOIN LATERAL (
      SELECT y.id FROM racing.activity AS y
      WHERE y.athlete_id = e.athlete_id AND y.status = 'disqualified'
        AND y.started_at >= r.starts_at AND y.started_at < r.ends_at AND y.imported_at < r.due_at
        -- Who enters after a disqualification takes part.
        AND EXISTS (SELECT FROM racing.decision AS d
          WHERE d.activity_id = y.id AND d.decision = 'disqualify' AND d.decided_at >= e.entered_at)
      ORDER BY y.id LIMIT 1
    ) AS x ON true
    WHERE e.athlete_id = activity.athlete_id AND e.disqualified_by = activity.id
    ORDER BY e.race_id
  LOOP
    IF spoiled.outcome = 'void' THEN
      -- For one that was held, racing.verified_late writes the event.
      IF NOT spoiled.was_held THEN
        PERFORM settled.emit('race.approval_after_void', spoiled.race_id::text,
          jsonb_build_object('raceId', spoiled.race_id, 'activityId', activity.id), now);
      END IF;
      CONTINUE;
    ELSIF spoiled.other IS NOT NULL THEN
      UPDATE racing.entry AS e SET disqualified_by = spoiled.other WHERE e.id = spoiled.id;
      CONTINUE;
    ELSIF spoiled.status = 'completed' THEN
      UPDATE racing.entry AS e SET disqualified_by = NULL WHERE e.id = spoiled.id;
    ELSIF spoiled.race_status = 'settled' THEN
      UPDATE racing.race AS r SET is_reinstating = true, correction_due_at = coalesce(r.correction_due_at, now)
        WHERE r.id = spoiled.race_id;
    ELSE
      UPDATE racing.entry AS e
        SET status = 'entered', disqualified_by = NULL, is_refunded = false,
          reinstatement_count = e.reinstatement_count + CASE WHEN e.is_refunded THEN 1 ELSE 0 END
        WHERE e.id = spoiled.id RETURNING e.* INTO back;
      IF spoiled.is_refunded THEN
        PERFORM racing.take_fee_again(back, now);
      END IF;
    END IF;
    affected := affected || spoiled.race_id;
  END LOOP;
  -- Entries that were made after the disqualification: the activity counts for them as well, unless it was deleted.
  IF activity.status = 'disqualified' AND activity.scored AND activity.deleted_at IS NULL THEN
    WITH late AS (
      INSERT INTO racing.late_activity (race_id, activity_id, verified_at)
      SELECT r.id, activity.id, reinstate_entries.now
      FROM racing.entry AS e
      JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'settled' AND r.starts_at <= activity.started_at
        AND activity.started_at < r.ends_at AND r.due_at > activity.imported_at
        AND coalesce(r.due_at > activity.shown_again_at, true) AND r.id <> ALL (activity.late_for)
        AND racing.proves_entry(activity, e)
      WHERE e.athlete_id = activity.athlete_id AND e.status = 'completed' AND e.disqualified_by IS NULL
      ON CONFLICT ON CONSTRAINT late_activity_once DO NOTHING
      RETURNING race_id
    ), marked AS (
      UPDATE racing.race AS r SET correction_due_at = coalesce(r.correction_due_at, reinstate_entries.now)
      WHERE r.id IN (SELECT l.race_id FROM late AS l)
      RETURNING r.id
    )
    SELECT affected || coalesce(array_agg(m.id ORDER BY m.id), '{}') INTO affected FROM marked AS m;
  END IF;
  RETURN affected;
END
$$;

-- A daemon of a former release clears the mark of a correction and brings no entry back. The race is due again ten
-- seconds later, until a daemon of this release has corrected it.
CREATE OR REPLACE FUNCTION racing.keep_reinstating()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  NEW.correction_due_at := settled.clock() + interval '10 seconds';
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER keep_reinstating BEFORE UPDATE OF correction_due_at ON racing.race
  FOR EACH ROW WHEN (NEW.is_reinstating AND NEW.correction_due_at IS NULL) EXECUTE FUNCTION racing.keep_reinstating();

-- An administrator's decision, approve or disqualify: no moderator can decide afterwards while the content is the same.
-- Repeating the decision changes nothing. SD409 `status`: there is nothing to decide. SD409 `erased`: the entries of an
-- erased athlete do not come back.
CREATE OR REPLACE FUNCTION racing.overrule_review(activity_id bigint, decision text, reviewer text, note text)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(activity_id, 'activity-id');
  IF decision IS NULL OR decision NOT IN ('approve', 'disqualify') THEN
    PERFORM settled.fail('SD400', 'decision', 'the decision must be approve or disqualify');
  END IF;
  PERFORM settled.check_text(reviewer, 'reviewer', min => 1);
  PERFORM settled.check_text(note, 'note');
  -- The first lock of all, as decide takes it: nobody is erased meanwhile.
  PERFORM FROM racing.athlete AS x
    WHERE x.id = (SELECT y.athlete_id FROM racing.activity AS y WHERE y.id = overrule_review.activity_id)
    FOR NO KEY UPDATE;
  IF decision = 'approve' AND EXISTS (
    SELECT FROM racing.activity AS y JOIN racing.athlete AS x ON x.id = y.athlete_id
    WHERE y.id = overrule_review.activity_id AND x.erased_at IS NOT NULL)
  THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  END IF;
  RETURN racing.decide(activity_id, decision, reviewer, note, NULL, true);
END
$$;

SELECT settled.declare_callers('racing', daemon => '{overrule_review, overrule_refusal}');
