-- An activity from outside, without its polyline.
CREATE OR REPLACE FUNCTION racing.activity_json(activity racing.activity) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT jsonb_build_object('id', activity.id, 'athleteId', activity.athlete_id, 'displayName', a.display_name,
      'stravaId', coalesce(activity.strava_id, activity.displaced_strava_id), 'name', activity.name,
      'activityType', activity.activity_type, 'startDate', settled.iso(activity.started_at),
      'distance', activity.distance, 'elapsedTime', activity.elapsed_time, 'movingTime', activity.moving_time, 'maxSpeed', activity.max_speed,
      'startLocation', CASE WHEN activity.start_latitude IS NOT NULL THEN
        jsonb_build_object('latitude', activity.start_latitude, 'longitude', activity.start_longitude) END,
      'endLocation', CASE WHEN activity.end_latitude IS NOT NULL THEN
        jsonb_build_object('latitude', activity.end_latitude, 'longitude', activity.end_longitude) END,
      'status', activity.status, 'reasons', activity.reasons, 'flagCount', activity.flag_count,
      'importedAt', settled.iso(activity.imported_at), 'visibility', activity.visibility)
    FROM racing.athlete a WHERE a.id = activity.athlete_id);
END
$$;

CREATE OR REPLACE FUNCTION racing.activity(activity_id bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_present(activity_id, 'activity-id');
  SELECT racing.activity_json(a) || jsonb_build_object('polyline', a.polyline) INTO shown
  FROM racing.activity a WHERE a.id = activity.activity_id AND a.deleted_at IS NULL;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'activity', 'there is no such activity');
  END IF;
  RETURN shown;
END $$;
COMMENT ON FUNCTION racing.activity(bigint) IS
$$Retrieves an activity.
Returns id, athleteId, displayName, stravaId, name, activityType, startDate, distance, elapsedTime, movingTime,
    maxSpeed, startLocation, endLocation, status, reasons, flagCount, importedAt, visibility and polyline. distance is
    in metres, times are in seconds, and maxSpeed is in metres per second. status: pending, verified, rejected,
    under_review or disqualified.
Refuses: SD400 activity-id; SD404 activity.
Example: SELECT racing.activity(activity_id => 1)$$;

-- The app decides who sees those of an athlete. What was deleted at the provider is in neither list: its visibility is
-- only_me.
CREATE OR REPLACE FUNCTION racing.activities(athlete_id bigint DEFAULT NULL, before bigint DEFAULT NULL, max integer DEFAULT 50) RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown jsonb;
BEGIN
  PERFORM settled.check_page(max);
  IF athlete_id IS NULL THEN
    SELECT jsonb_agg(racing.activity_json(p) ORDER BY p.id DESC) INTO shown
    FROM (
      SELECT a.* FROM racing.activity a
      WHERE a.status = 'verified' AND a.visibility = 'everyone' AND settled.setting('racing.show_activities') = 'on'
        AND (before IS NULL OR a.id < before)
      ORDER BY a.id DESC LIMIT max
    ) p;
  ELSE
    IF NOT EXISTS (SELECT FROM racing.athlete a WHERE a.id = activities.athlete_id) THEN
      PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
    END IF;
    SELECT jsonb_agg(racing.activity_json(p) ORDER BY p.id DESC) INTO shown
    FROM (
      SELECT a.* FROM racing.activity a
      WHERE a.athlete_id = activities.athlete_id AND a.deleted_at IS NULL AND (before IS NULL OR a.id < before)
      ORDER BY a.id DESC LIMIT max
    ) p;
  END IF;
  RETURN coalesce(shown, '[]');
END $$;
COMMENT ON FUNCTION racing.activities(bigint, bigint, integer) IS
$$Lists an athlete's activities, or all athletes' verified and public activities, newest first.
athlete_id: the athlete's id; null: all athletes.
before: the id of the last activity on the previous page; null: start at the newest activity.
max (activities): 1 to 500.
Returns an array of activities in the format of racing.activity, without polyline.
Refuses: SD400 max; SD404 athlete.
Example: SELECT racing.activities(athlete_id => 1, max => 10)$$;

SELECT settled.declare_callers('racing', contract => '{activity, activities}', daemon => '{activity_json}');
