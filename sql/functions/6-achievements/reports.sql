-- Reports: the app's users and their actions.

CREATE OR REPLACE FUNCTION achievements.create_user(user_id bigint, name text)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown_name text;
  now timestamptz;
BEGIN
  PERFORM settled.check_writer();
  IF user_id IS NULL OR user_id < 1 THEN
    PERFORM settled.fail('SD400', 'user-id', 'the user id must be greater than zero');
  END IF;
  shown_name := settled.shown_name(name, 'name');
  now := settled.clock();
  INSERT INTO achievements.person (id, name, created_at, edition, due_at, changed_at)
    VALUES (user_id, shown_name, now, coalesce((SELECT max(e.number) FROM achievements.edition AS e), 0), now, now)
  ON CONFLICT ON CONSTRAINT person_pkey DO NOTHING;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD409', 'user', 'the user id is taken');
  END IF;
END
$$;
COMMENT ON FUNCTION achievements.create_user(bigint, text) IS
$$Creates a user.
user_id: the app's id for the user, greater than 0.
name: 1 to 10,000 characters, including at least one visible character.
Returns nothing.
Refuses: SD400 isolation, name, user-id; SD409 user (the id is taken).
Example: SELECT achievements.create_user(user_id => 3, name => 'Cleo Fox')$$;

-- The person, locked until the transaction ends.
CREATE OR REPLACE FUNCTION achievements.hold_person(user_id bigint)
RETURNS achievements.person
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  p achievements.person;
BEGIN
  SELECT x.* INTO p FROM achievements.person AS x WHERE x.id = user_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'user', 'there is no such user');
  END IF;
  RETURN p;
END
$$;

-- Stores a report's key. Returns false if the same report was made before. The caller has locked the person, which
-- serialises reports with the same key.
CREATE OR REPLACE FUNCTION achievements.keep_report(
  user_id bigint, idempotency_key text, metric text, target_key text, value bigint, mode text, now timestamptz)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  kept achievements.report;
BEGIN
  SELECT r.* INTO kept FROM achievements.report AS r
    WHERE r.user_id = keep_report.user_id AND r.idempotency_key = keep_report.idempotency_key;
  IF NOT FOUND THEN
    INSERT INTO achievements.report (user_id, idempotency_key, reported_on, metric, target_key, value, mode)
      VALUES (user_id, idempotency_key, (now AT TIME ZONE 'UTC')::date, metric, target_key, value, mode);
    RETURN true;
  ELSIF (kept.metric, kept.target_key, kept.value, kept.mode) <> (metric, target_key, value, mode) THEN
    PERFORM settled.fail('SD409', 'idempotency', 'this key was used with different content');
  END IF;
  RETURN false;
END
$$;

-- Results reached so far are recorded first, so the change cannot revoke them.
CREATE OR REPLACE FUNCTION achievements.report_metric(
  user_id bigint, metric text, value bigint, mode text, idempotency_key text, target text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  most CONSTANT bigint := 1000000000000000;
  key CONSTANT text := achievements.key_of(target);
  p achievements.person;
  now timestamptz;
  earned bigint;
  old bigint;
  new bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(user_id, 'user-id');
  PERFORM achievements.check_metric(metric, target);
  IF value IS NULL OR value NOT BETWEEN 0 AND most THEN
    PERFORM settled.fail('SD400', 'value', format('the value must be between 0 and %s', most));
  ELSIF mode IS NULL OR mode NOT IN ('set', 'add') THEN
    PERFORM settled.fail('SD400', 'mode', 'the mode must be set or add');
  END IF;
  PERFORM settled.check_text(idempotency_key, 'idempotency-key', min => 1);
  p := achievements.hold_person(user_id);
  now := settled.clock();
  IF NOT achievements.keep_report(user_id, achievements.key_of(idempotency_key), metric, key, value, mode, now) THEN
    RETURN;
  END IF;
  p := achievements.record(p);

  SELECT n.value INTO old FROM achievements.counter AS n
    WHERE n.user_id = report_metric.user_id AND n.metric = report_metric.metric AND n.target_key = key;
  old := coalesce(old, 0);
  -- Points from rewards are added to the reported points.
  earned := CASE WHEN metric = 'points' THEN p.earned_points ELSE 0 END;
  new := CASE mode WHEN 'set' THEN earned + value ELSE old + value END;
  IF new - earned > most THEN
    PERFORM settled.fail('SD400', 'value', format('the sum must not exceed %s', most));
  ELSIF new = old THEN
    RETURN;
  END IF;
  INSERT INTO achievements.counter AS n (user_id, metric, target_key, value) VALUES (user_id, metric, key, new)
  ON CONFLICT ON CONSTRAINT counter_once DO UPDATE SET value = excluded.value;
  -- A lower value reaches nothing.
  IF new > old THEN
    UPDATE achievements.person AS x SET edition = p.edition, due_at = coalesce(x.due_at, now), changed_at = now,
        changed_metric = report_metric.metric, changed_target_key = key, changed_from = old
      WHERE x.id = p.id;
    PERFORM settled.inputs_changed('achievement-check', p.id::text);
  END IF;
END
$$;
COMMENT ON FUNCTION achievements.report_metric(bigint, text, bigint, text, text, text) IS
$$Sets a user's counter for a metric, or adds to it.
metric: points, books_read, pages_read, books_added, approved_reports, notes_created, citations_created,
    author_read_count, tag_read_count, book_read, book_reviewed or book_added.
value: 0 to 1,000,000,000,000,000. When a value is added, the sum has the same limits.
mode: set or add.
idempotency_key: 1 to 10,000 characters, unique for each of the user's reports.
target: 1 to 10,000 characters, only for the last five metrics; null: none.
Returns nothing. A repeated call changes nothing.
Refuses: SD400 idempotency-key, isolation, metric, mode, target, user-id, value; SD404 user; SD409 idempotency (the key
    was already used for a different report).
Example: SELECT achievements.report_metric(user_id => 1, metric => 'books_read', value => 2, mode => 'add',
    idempotency_key => 'report-2')$$;

SELECT settled.declare_callers('achievements', contract => '{create_user, report_metric}');
