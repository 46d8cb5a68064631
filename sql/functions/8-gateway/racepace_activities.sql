-- Racepace: activities and their moderation. Source: Gateway.docc/Systems.md, "Racing".

-- What moderators last requested from the activity's athlete, {note, at}. Null if no request is open.
CREATE OR REPLACE FUNCTION gateway.info_requested(activity_id bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('note', d.note, 'at', gateway.seconds(settled.iso(d.decided_at)))
    FROM racing.review AS r JOIN racing.decision AS d ON d.activity_id = r.activity_id AND d.review_id = r.id
    WHERE r.activity_id = info_requested.activity_id AND r.state <> 'decided' AND d.decision = 'request_info'
    ORDER BY d.id DESC LIMIT 1);
END
$$;

-- The app's Activity, as this athlete (or an anonymous viewer) can see it. Values that were not measured are null. A
-- type that is unknown to the app is replaced with a known one; exactType has the real type. Only its athlete sees the
-- reasons for a rejection, the track, the visibility and the moderators' requests.
CREATE OR REPLACE FUNCTION gateway.activity_shape(a racing.activity, viewer bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  is_own boolean := coalesce(a.athlete_id = viewer, false);
BEGIN
  RETURN jsonb_build_object(
    'id', a.id::text, 'stravaId', coalesce(a.strava_id, a.displaced_strava_id), 'userId', a.athlete_id::text, 'name', a.name,
    'activityType', CASE WHEN a.activity_type IN ('Canoeing', 'Kayaking') THEN a.activity_type ELSE 'Kayaking' END,
    'exactType', a.activity_type, 'startDate', left(settled.iso(a.started_at), 19) || 'Z',
    'elapsedTime', trim_scale(a.elapsed_time), 'movingTime', trim_scale(a.moving_time),
    'distance', trim_scale(a.distance), 'maxSpeed', trim_scale(a.max_speed),
    'averageSpeed', CASE WHEN a.moving_time > 0 THEN trim_scale(round(a.distance / a.moving_time, 3)) END,
    'startLocation', gateway.place(a.start_latitude, a.start_longitude, is_own),
    'endLocation', gateway.place(a.end_latitude, a.end_longitude, is_own),
    'isGPSVerified', a.scored AND 'gps' <> ALL (a.reasons),
    'isUKActivity', a.scored AND 'uk' <> ALL (a.reasons) AND a.start_latitude IS NOT NULL AND a.end_latitude IS NOT NULL,
    'flagCount', a.flag_count, 'status', gateway.activity_status(a.status), 'exactStatus', a.status,
    'importedAt', left(settled.iso(a.imported_at), 19) || 'Z')
    || CASE WHEN is_own THEN jsonb_build_object('reasons', a.reasons, 'polyline', a.polyline, 'visibility', a.visibility,
      'infoRequested', gateway.info_requested(a.id)) ELSE '{}' END;
END
$$;

-- A claim in the format of an activity for its athlete: with the submitted values, pending or rejected.
CREATE OR REPLACE FUNCTION gateway.claimed_activity(c racing.claim)
RETURNS racing.activity
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.activity;
BEGIN
  a.id := c.id;
  a.athlete_id := c.athlete_id;
  a.strava_id := c.strava_id;
  a.name := c.content ->> 'name';
  a.activity_type := c.content ->> 'activityType';
  a.started_at := c.started_at;
  a.elapsed_time := (c.content ->> 'elapsedTime')::numeric;
  a.moving_time := (c.content ->> 'movingTime')::numeric;
  a.distance := (c.content ->> 'distance')::numeric;
  a.max_speed := (c.content ->> 'maxSpeed')::numeric;
  a.start_latitude := (c.content #>> '{startLocation,latitude}')::double precision;
  a.start_longitude := (c.content #>> '{startLocation,longitude}')::double precision;
  a.end_latitude := (c.content #>> '{endLocation,latitude}')::double precision;
  a.end_longitude := (c.content #>> '{endLocation,longitude}')::double precision;
  a.polyline := c.content ->> 'polyline';
  a.imported_at := c.claimed_at;
  a.status := CASE WHEN c.rejected_at IS NULL THEN 'pending' ELSE 'rejected' END;
  a.reasons := array_remove(ARRAY[c.reason], NULL);
  a.flag_count := 0;
  a.scored := false;
  a.visibility := coalesce(c.content ->> 'visibility', 'only_me');
  RETURN a;
END
$$;

-- A page of activities and claims, newest first. The page ends early after the track that makes it larger than 4 MiB.
-- The gateway infers from the size that more follow.
CREATE OR REPLACE FUNCTION gateway.activity_page(ids bigint[], viewer bigint)
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(jsonb_agg(gateway.activity_shape(p.activity, viewer) ORDER BY (p.activity).id DESC), '[]')
  FROM (
    SELECT x.activity, sum(CASE WHEN (x.activity).athlete_id = viewer THEN octet_length((x.activity).polyline) END)
      OVER (ORDER BY (x.activity).id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
    FROM (
      SELECT a AS activity FROM racing.activity AS a WHERE a.id = ANY (ids)
      UNION ALL
      SELECT gateway.claimed_activity(c) FROM racing.claim AS c WHERE c.id = ANY (ids) AND c.athlete_id = viewer
    ) AS x
  ) AS p
  WHERE coalesce(p.bytes_before, 0) <= 4194304
$$;

-- The newest of everyone's verified activities that everyone can see, or of one athlete's. Each case has its own plan.
-- It calls nothing, because its setting would have each call plan its queries too.
CREATE OR REPLACE FUNCTION gateway.public_activities(athlete_id bigint, before bigint, max integer)
RETURNS bigint[]
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  RETURN ARRAY(
    SELECT a.id FROM racing.activity AS a
    WHERE a.status = 'verified' AND a.visibility = 'everyone'
      AND (public_activities.athlete_id IS NULL OR a.athlete_id = public_activities.athlete_id)
      AND a.activity_type IN ('Canoeing', 'Kayaking') AND (before IS NULL OR a.id < before)
    ORDER BY a.id DESC LIMIT public_activities.max);
END
$$;

-- GET activities, newest first. If activities are not shown, only the viewer's own. viewer: the calling athlete, who
-- sees the exact places of their own activities.
CREATE OR REPLACE FUNCTION gateway.racepace_activities(
  viewer bigint DEFAULT NULL, before bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  are_shown boolean := settled.setting('racing.show_activities') = 'on';
BEGIN
  PERFORM settled.check_page(max);
  RETURN gateway.activity_page(CASE WHEN are_shown THEN gateway.public_activities(NULL, before, max)
    WHEN viewer IS NULL THEN '{}' ELSE gateway.public_activities(viewer, before, max) END, viewer);
END
$$;

-- GET users/:id/activities, newest first: all of the athlete's own paddling and rowing activities, except those deleted
-- at the provider, and all of the athlete's claims. Rowing and stand-up paddling never count; they are listed with the
-- reason.
CREATE OR REPLACE FUNCTION gateway.racepace_own_activities(
  athlete_id bigint, before bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_page(max);
  IF NOT EXISTS (SELECT FROM racing.athlete AS a WHERE a.id = racepace_own_activities.athlete_id) THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  END IF;
  RETURN gateway.activity_page(ARRAY(
    (SELECT a.id FROM racing.activity AS a
    WHERE a.athlete_id = racepace_own_activities.athlete_id AND a.deleted_at IS NULL
      AND lower(translate(a.activity_type, ' -', '')) IN ('canoeing', 'kayaking', 'rowing', 'standuppaddling')
      AND (before IS NULL OR a.id < before)
    ORDER BY a.id DESC LIMIT racepace_own_activities.max)
    UNION ALL
    (SELECT c.id FROM racing.claim AS c
    WHERE c.athlete_id = racepace_own_activities.athlete_id AND (before IS NULL OR c.id < before)
    ORDER BY c.id DESC LIMIT racepace_own_activities.max)
    ORDER BY id DESC LIMIT racepace_own_activities.max), athlete_id);
END
$$;

-- POST activities with the app's entire Activity. The provider's measurements are used; the server's own fields are
-- ignored. While racing.proof is on, it creates a claim, which the provider confirms later. SD403 `self` if the body is
-- for another user. bytes: the size of the body as sent, which gateways of earlier releases do not pass. SD400 `body`:
-- the claim is too large. SD429 `quota`: the import changes data and exceeds the athlete's daily limit.
DROP FUNCTION IF EXISTS gateway.racepace_import(bigint, jsonb);
CREATE OR REPLACE FUNCTION gateway.racepace_import(athlete_id bigint, body jsonb, bytes integer DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  sent_bytes constant integer := coalesce(bytes, octet_length(body::text));
  content jsonb;
  shown_id bigint;
  proves boolean;
  is_known boolean;
  known_hash bytea;
  imported_id bigint;
  imported racing.activity;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  IF bytes < 0 THEN
    PERFORM settled.fail('SD400', 'bytes', 'the body size must not be negative');
  END IF;
  PERFORM gateway.check_object(body);
  IF body ->> 'userId' <> athlete_id::text THEN
    PERFORM settled.fail('SD403', 'self', 'the activity is for another user');
  END IF;
  SELECT coalesce(jsonb_object_agg(k.key, CASE
      WHEN k.key = 'stravaId' AND jsonb_typeof(k.value) = 'string' AND k.value #>> '{}' ~ '^[0-9]{1,19}$'
        THEN to_jsonb((k.value #>> '{}')::numeric)
      ELSE k.value END), '{}')
    INTO content FROM jsonb_each(body) AS k
    WHERE k.key IN ('stravaId', 'name', 'activityType', 'startDate', 'elapsedTime', 'movingTime', 'distance', 'maxSpeed',
      'startLocation', 'endLocation', 'polyline', 'streams', 'visibility');
  shown_id := CASE WHEN content -> 'stravaId' BETWEEN jsonb '1' AND jsonb '9223372036854775807'
    THEN trunc((content -> 'stravaId')::numeric)::bigint END;
  proves := racing.hold_proof();
  IF proves AND sent_bytes > 65536 THEN
    PERFORM settled.fail('SD400', 'body', 'an activity claim can have at most 65536 bytes',
      jsonb_build_object('limit', 65536));
  END IF;
  -- As in the import: another import of this athlete comes entirely before or after.
  PERFORM FROM racing.athlete AS a WHERE a.id = racepace_import.athlete_id FOR NO KEY UPDATE;
  IF proves THEN
    is_known := EXISTS (SELECT FROM racing.activity AS a
        WHERE a.strava_id = shown_id AND a.athlete_id = racepace_import.athlete_id)
      OR EXISTS (SELECT FROM racing.claim AS c WHERE c.athlete_id = racepace_import.athlete_id AND c.strava_id = shown_id
        AND c.rejected_at IS NULL AND c.reason IS NULL);
    imported_id := racing.claim_activity(athlete_id, content);
  ELSE
    SELECT a.content_hash INTO known_hash FROM racing.activity AS a WHERE a.strava_id = shown_id;
    imported_id := racing.import_activity(athlete_id, content);
  END IF;
  SELECT x.* INTO imported FROM (
    SELECT a.* FROM racing.activity AS a WHERE a.id = imported_id
    UNION ALL SELECT (gateway.claimed_activity(c)).* FROM racing.claim AS c WHERE c.id = imported_id
  ) AS x;
  IF NOT coalesce(is_known, imported.content_hash IS NOT DISTINCT FROM known_hash) THEN
    PERFORM racing.count_import(athlete_id, CASE WHEN NOT proves THEN sent_bytes::bigint END);
  END IF;
  RETURN gateway.activity_shape(imported, imported.athlete_id);
END
$$;

-- POST activities/:id/flag with {reason notes?}. The reason is in snake_case or camelCase.
CREATE OR REPLACE FUNCTION gateway.racepace_flag(athlete_id bigint, activity_id bigint, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  flagged jsonb;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(body, '{reason,notes}', 'body');
  flagged := racing.flag_activity(activity_id, athlete_id,
    gateway.snake_case(left(gateway.body_text(body, 'reason', 'reason'), 100)), gateway.body_text(body, 'notes', 'notes'));
  RETURN jsonb_build_object('activityId', flagged ->> 'activityId', 'flagCount', flagged -> 'flagCount',
    'status', gateway.activity_status(flagged ->> 'status'), 'exactStatus', flagged -> 'status');
END
$$;

-- GET moderation/flagged, in the order of racing.flagged. It shows why an activity was flagged, but not who flagged it.
-- The daemon's own reasons are translated into the app's terms; exactReasons has the original reasons. deletedAt: when
-- the provider deleted the activity; absent if it still exists. forgottenAt: when everything except ids, times,
-- distances and scores was erased; absent if nothing was.
CREATE OR REPLACE FUNCTION gateway.racepace_flagged(after bigint DEFAULT NULL, max integer DEFAULT 50)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT coalesce(jsonb_agg(jsonb_build_object(
      'id', a.id::text, 'activityId', a.id::text, 'userId', a.athlete_id::text,
      'userName', f.item #> '{activity,displayName}', 'flagCount', a.flag_count,
      'openFlags', f.item -> 'openFlags', 'reasons', r.shown, 'exactReasons', r.exact,
      'activityDetails', gateway.activity_shape(a, NULL),
      'createdAt', left(coalesce(f.item ->> 'openedAt', f.item #>> '{flags,0,at}'), 19) || 'Z')
      || jsonb_strip_nulls(jsonb_build_object('deletedAt', gateway.seconds(settled.iso(a.deleted_at)),
        'forgottenAt', gateway.seconds(settled.iso(a.forgotten_at)))) ORDER BY f.place), '[]')
    FROM jsonb_array_elements(racing.flagged(after, max)) WITH ORDINALITY AS f (item, place)
    JOIN racing.activity AS a ON a.id = (f.item #>> '{activity,id}')::bigint
    CROSS JOIN LATERAL (
      SELECT coalesce(jsonb_agg(DISTINCT x.reason), '[]') AS exact, coalesce(jsonb_agg(DISTINCT
        CASE x.reason WHEN 'implausible' THEN 'suspicious_speed' WHEN 'provider_flag' THEN 'other'
          WHEN 'late_change' THEN 'other' ELSE x.reason END), '[]')
        AS shown
      FROM (
        SELECT y.flag ->> 'reason' FROM jsonb_array_elements(f.item -> 'flags') AS y (flag)
        UNION ALL SELECT jsonb_array_elements_text(f.item -> 'reasons')
      ) AS x (reason)
    ) AS r);
END
$$;

-- POST moderation/review with {activityId decision notes?}. decision: approve, disqualify or requireMoreInfo. A refusal
-- contains the current name of the account that decided. reviewer_athlete: the caller's athlete. Gateways of earlier
-- releases do not pass it; then it is the account's athlete.
DROP FUNCTION IF EXISTS gateway.racepace_review(text, jsonb);
CREATE OR REPLACE FUNCTION gateway.racepace_review(reviewer text, body jsonb, reviewer_athlete bigint DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  decision text;
  decided jsonb;
  refusal_message text;
  refusal_detail text;
  decided_by text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(body, '{activityId,decision,notes}', 'body');
  decision := gateway.body_text(body, 'decision', 'decision');
  IF decision IS NULL OR decision NOT IN ('approve', 'disqualify', 'requireMoreInfo') THEN
    PERFORM settled.fail('SD400', 'decision', 'the decision must be approve, disqualify or requireMoreInfo');
  END IF;
  BEGIN
    decided := racing.review_activity(gateway.body_id(body, 'activityId', 'activity-id'),
      CASE decision WHEN 'requireMoreInfo' THEN 'request_info' ELSE decision END,
      reviewer, coalesce(gateway.body_text(body, 'notes', 'note'), ''),
      coalesce(reviewer_athlete, accounts.reviewer_athlete(reviewer)));
  EXCEPTION WHEN SQLSTATE 'SD409' THEN
    GET STACKED DIAGNOSTICS refusal_message = MESSAGE_TEXT, refusal_detail = PG_EXCEPTION_DETAIL;
    decided_by := refusal_detail::jsonb ->> 'by';
    PERFORM settled.fail('SD409', refusal_detail::jsonb ->> 'rule',
      coalesce(replace(refusal_message, decided_by, accounts.reviewer_name(decided_by)), refusal_message),
      refusal_detail::jsonb || jsonb_strip_nulls(jsonb_build_object('by', accounts.reviewer_name(decided_by))));
  END;
  RETURN jsonb_build_object('activityId', decided ->> 'activityId', 'decision', decision,
    'status', gateway.activity_status(decided ->> 'status'), 'exactStatus', decided -> 'status',
    'affectedRaces', (
      SELECT coalesce(jsonb_agg(r.id ORDER BY r.place), '[]')
      FROM jsonb_array_elements_text(decided -> 'affectedRaces') WITH ORDINALITY AS r (id, place)));
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{
    racepace_activities, racepace_own_activities, racepace_import, racepace_flag, racepace_flagged, racepace_review}');
