-- The open flags that put an activity under review, by how often what is measured was approved. Holds have the same
-- expression in racing.qualifying_activity, because settled_reader calls no function.
CREATE OR REPLACE FUNCTION racing.flag_threshold(approvals integer)
RETURNS integer
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN settled.setting('racing.flag_threshold')::integer << least(approvals, 20);
END
$$;

-- Only the activity is locked: a settlement either reads the flag or was made before it. The daemons are woken when the
-- flag may be the one that opens a review. A flag that does not count is kept for reviewers, and changes nothing else.
-- Source: Racing.docc/Moderation.md, "Flags".
CREATE OR REPLACE FUNCTION racing.flag_activity(activity_id bigint, flagged_by bigint, reason text, notes text DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.activity;
  ends_at timestamptz;
  now timestamptz;
  digest bytea;
  does_count boolean;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(activity_id, 'activity-id');
  PERFORM settled.check_present(flagged_by, 'flagged-by');
  IF reason IS NULL OR reason NOT IN
    ('suspicious_speed', 'motorized_assistance', 'impossible_route', 'fake_activity', 'other')
  THEN
    PERFORM settled.fail('SD400', 'reason', 'this reason is unknown');
  END IF;
  IF notes IS NOT NULL THEN
    PERFORM settled.check_text(notes, 'notes');
  END IF;
  SELECT x.* INTO a FROM racing.activity AS x WHERE x.id = flag_activity.activity_id FOR NO KEY UPDATE;
  IF NOT FOUND OR a.deleted_at IS NOT NULL AND NOT racing.has_counted(a) THEN
    PERFORM settled.fail('SD404', 'activity', 'there is no such activity');
  ELSIF NOT EXISTS (SELECT FROM racing.athlete AS x WHERE x.id = flag_activity.flagged_by) THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF EXISTS (SELECT FROM racing.athlete AS x WHERE x.id = flag_activity.flagged_by AND x.erased_at IS NOT NULL) THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  ELSIF a.athlete_id = flag_activity.flagged_by THEN
    PERFORM settled.fail('SD403', 'own-activity', 'you cannot flag your own activity');
  ELSIF a.status IN ('rejected', 'disqualified') THEN
    PERFORM settled.fail('SD409', 'status', format('the activity is %s', a.status),
      jsonb_build_object('status', a.status));
  ELSIF EXISTS (
    SELECT FROM racing.flag AS f
    WHERE f.activity_id = a.id AND f.flagged_by = flag_activity.flagged_by
      AND (f.closed_at IS NULL OR f.closed_content = a.content_hash))
  THEN
    PERFORM settled.fail('SD409', 'already-flagged', 'this user has already flagged this activity');
  END IF;
  now := settled.clock();
  ends_at := racing.review_ends_at(a);
  IF now >= ends_at THEN
    PERFORM settled.fail('SD409', 'window', format('the review window ended at %s', settled.iso(ends_at)),
      jsonb_build_object('closedAt', settled.iso(ends_at)));
  END IF;
  -- An account that goes from athlete to athlete counts once.
  digest := sha256(convert_to(a.id || ' ' || racing.account_of(flagged_by), 'UTF8'));
  does_count := settled.setting('racing.proof') = 'off' OR digest IS NOT NULL AND NOT EXISTS (
    SELECT FROM racing.flag AS f
    WHERE f.activity_id = a.id AND f.account_digest = digest AND f.counts
      AND (f.closed_at IS NULL OR f.closed_content = a.content_hash));
  INSERT INTO racing.flag (activity_id, flagged_by, reason, notes, flagged_at, counts, account_digest)
    VALUES (a.id, flag_activity.flagged_by, flag_activity.reason, flag_activity.notes, now, does_count, digest);
  IF does_count THEN
    UPDATE racing.activity AS x SET flag_count = x.flag_count + 1, flagged_at = now WHERE x.id = a.id
      RETURNING x.* INTO a;
    PERFORM settled.inputs_changed('flag-escalation', a.id::text);
    IF a.status <> 'under_review' AND a.flag_count >= racing.flag_threshold(a.approvals) THEN
      PERFORM settled.wake();
    END IF;
  ELSE
    UPDATE racing.activity AS x SET uncounted_flags = x.uncounted_flags + 1 WHERE x.id = a.id;
  END IF;
  RETURN jsonb_build_object('activityId', a.id, 'flagCount', a.flag_count, 'status', a.status);
END
$$;
COMMENT ON FUNCTION racing.flag_activity(bigint, bigint, text, text) IS
$$Reports an activity as suspicious. A review opens when an activity has enough flags.
flagged_by: the reporting athlete.
reason: suspicious_speed, motorized_assistance, impossible_route, fake_activity or other.
notes: at most 10,000 characters; null: no notes.
Returns activityId, flagCount and status.
Refuses: SD400 activity-id, flagged-by, isolation, notes, reason; SD403 own-activity; SD404 activity, athlete;
    SD409 already-flagged, erased, status (the activity is rejected or disqualified), window (the review window has
    ended; DETAIL has closedAt).
Example: SELECT racing.flag_activity(activity_id => 1, flagged_by => 3, reason => 'impossible_route')$$;

-- The reviewer's view of an activity, also of one that was deleted at the provider (deletedAt) or whose name, places,
-- track and streams are gone (forgottenAt): its oldest open flags, and its open review, whose fields are null or empty
-- where there is none. openFlags: how many flags are open, of which flagCount of the activity count. Anybody may add
-- some, each with a long note, and all must not become too large.
DROP FUNCTION IF EXISTS racing.flagged_json(racing.activity);
CREATE OR REPLACE FUNCTION racing.flagged_json(activity racing.activity, flags_max integer)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object(
      'activity', racing.activity_json(activity),
      'flags', (
        SELECT coalesce(jsonb_agg(jsonb_build_object('flaggedBy', f.flagged_by, 'reason', f.reason, 'notes', f.notes,
          'at', settled.iso(f.flagged_at), 'counts', f.counts) ORDER BY f.id), '[]')
        FROM (
          SELECT x.* FROM racing.flag AS x WHERE x.activity_id = activity.id AND x.closed_at IS NULL
          ORDER BY x.id LIMIT flags_max
        ) AS f),
      'openFlags', activity.flag_count + activity.uncounted_flags,
      'deletedAt', settled.iso(activity.deleted_at), 'forgottenAt', settled.iso(activity.forgotten_at),
      'level', r.level, 'openedAt', settled.iso(r.opened_at), 'state', r.state,
      'reasons', coalesce(r.reasons, '{}'), 'bounds', coalesce(r.bounds, '[]'))
    FROM (VALUES (true)) AS one
    LEFT JOIN racing.review AS r ON r.activity_id = activity.id AND r.state <> 'decided');
END
$$;

-- The twenty flags of an activity that were closed last, each with the decision that closed it; and the count of all.
-- The decision is null where the activity lost its id at the provider instead: see racing.displace.
CREATE OR REPLACE FUNCTION racing.decided_flags(activity_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN jsonb_build_object(
    'decidedFlags', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('flaggedBy', f.flagged_by, 'reason', f.reason, 'notes', f.notes,
        'at', settled.iso(f.flagged_at), 'counts', f.counts, 'closedAt', settled.iso(f.closed_at),
        'decision', d.shown) ORDER BY f.closed_at DESC, f.id DESC), '[]')
      FROM (
        SELECT x.* FROM racing.flag AS x WHERE x.activity_id = decided_flags.activity_id AND x.closed_at IS NOT NULL
        ORDER BY x.closed_at DESC, x.id DESC LIMIT 20
      ) AS f
      LEFT JOIN LATERAL (
        SELECT jsonb_build_object('at', settled.iso(y.decided_at), 'decision', y.decision, 'reviewer', y.reviewer,
          'reason', y.note) AS shown
        FROM racing.decision AS y
        WHERE y.activity_id = decided_flags.activity_id AND y.decided_at = f.closed_at AND y.decision <> 'request_info'
        ORDER BY y.id LIMIT 1
      ) AS d ON true),
    'decidedFlagsCount', (
      SELECT count(*) FROM racing.flag AS x
      WHERE x.activity_id = decided_flags.activity_id AND x.closed_at IS NOT NULL));
END
$$;

-- Where a page begins: the place of its predecessor's last activity in the list. What was decided meanwhile still has
-- the place of the review that was decided.
CREATE OR REPLACE FUNCTION racing.flagged_place(after bigint, OUT opened_at timestamptz, OUT review bigint, OUT flags integer)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  SELECT r.opened_at, r.id, CASE WHEN a.flag_count + a.uncounted_flags > 0 THEN -a.flag_count END
  INTO opened_at, review, flags
  FROM racing.activity AS a
  LEFT JOIN LATERAL (
    SELECT x.opened_at, x.id FROM racing.review AS x WHERE x.activity_id = a.id AND x.state <> 'decided'
  ) AS r ON true
  WHERE a.id = flagged_place.after;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'activity', 'there is no such activity');
  ELSIF review IS NULL AND flags IS NULL THEN
    SELECT r.opened_at, r.id INTO opened_at, review
    FROM racing.decision AS d JOIN racing.review AS r ON r.id = d.review_id
    WHERE d.activity_id = flagged_place.after ORDER BY d.id DESC LIMIT 1;
    IF NOT FOUND THEN
      PERFORM settled.fail('SD409', 'status', 'the activity is not in the list: start again from the beginning');
    END IF;
  END IF;
END
$$;

-- The activities of a page of what is open, read by its indexes: reviews by their age, then activities that are only
-- flagged. The settings of this function keep the planner at the page that is asked for. It calls nothing that runs
-- queries for each activity, because these would be planned each time too.
CREATE OR REPLACE FUNCTION racing.flagged_ids(after bigint, max integer)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  place record;
  page bigint[] := '{}'::bigint[];
BEGIN
  SELECT NULL::timestamptz AS opened_at, NULL::bigint AS review, NULL::integer AS flags INTO place;
  IF after IS NOT NULL THEN
    place := racing.flagged_place(after);
  END IF;
  IF after IS NULL OR place.review IS NOT NULL THEN
    page := ARRAY(
      SELECT r.activity_id FROM racing.review AS r
      WHERE r.state <> 'decided'
        AND (r.opened_at, r.id) > (coalesce(place.opened_at, '-infinity'), coalesce(place.review, 0))
      ORDER BY r.opened_at, r.id LIMIT flagged_ids.max);
    place.flags := NULL;
  END IF;
  IF cardinality(page) < flagged_ids.max THEN
    page := page || ARRAY(
      SELECT a.id FROM racing.activity AS a
      WHERE a.flag_count + a.uncounted_flags > 0 AND a.status <> 'under_review'
        AND (-a.flag_count, a.id) > (coalesce(place.flags, -2147483647), coalesce(after, 0))
        AND NOT EXISTS (SELECT FROM racing.review AS r WHERE r.activity_id = a.id AND r.state <> 'decided')
      ORDER BY -a.flag_count, a.id LIMIT flagged_ids.max - cardinality(page));
  END IF;
  RETURN page;
END
$$;

CREATE OR REPLACE FUNCTION racing.flagged_page(after bigint, max integer)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(racing.flagged_json(a, 10) ORDER BY p.place), '[]')
    FROM unnest(racing.flagged_ids(after, max)) WITH ORDINALITY AS p(id, place)
    JOIN racing.activity AS a ON a.id = p.id);
END
$$;

-- What is decided or flagged between two pages may bring a row again, and leaves none out.
DROP FUNCTION IF EXISTS racing.flagged();
CREATE OR REPLACE FUNCTION racing.flagged(after bigint DEFAULT NULL, max integer DEFAULT 500)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_page(max);
  RETURN racing.flagged_page(after, max);
END
$$;
COMMENT ON FUNCTION racing.flagged(bigint, integer) IS
$$Lists activities with open flags or reviews. Activities under review come first, oldest
review first. Other flagged activities follow.
after: the id of the last activity on the previous page; null: the first page.
max (activities): 1 to 500.
Returns an array of objects with activity, flags, openFlags, deletedAt, forgottenAt, level, openedAt, state, reasons
    and bounds. flags: the ten oldest open flags, each with flaggedBy, reason, notes, at and counts. level: how many
    times reminders have escalated the open review.
Refuses: SD400 max; SD404 activity; SD409 status (the activity has never been in the list).
Example: SELECT racing.flagged(max => 10)$$;

-- One activity as a reviewer sees it, with a hundred flags at most, whether or not anything about it is open.
CREATE OR REPLACE FUNCTION racing.review_of(activity_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  shown jsonb;
BEGIN
  SELECT racing.flagged_json(a, 100) INTO shown FROM racing.activity AS a WHERE a.id = review_of.activity_id;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'activity', 'there is no such activity');
  END IF;
  RETURN shown;
END
$$;

SELECT settled.declare_callers('racing',
  contract => '{flag_activity, flagged}',
  daemon => '{
    flagged, review_of, decided_flags, flagged_page, flagged_ids, flagged_place, flagged_json, flag_threshold}');
