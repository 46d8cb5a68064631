-- The metrics of a check-in (CheckIns.docc/CheckInScore.md): nine, all required, and the score that follows from
-- them.

CREATE OR REPLACE FUNCTION checkins.metric(metrics jsonb, key text, low numeric, high numeric, is_whole boolean)
RETURNS numeric
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  value numeric;
  refusal text;
BEGIN
  IF jsonb_typeof(metrics -> key) IS DISTINCT FROM 'number' THEN
    refusal := format('%s must be a number', key);
  ELSE
    value := (metrics -> key)::numeric;
    IF value NOT BETWEEN low AND high OR (is_whole AND value <> trunc(value)) THEN
      refusal := format('%s must be a %snumber from %s to %s', key, CASE WHEN is_whole THEN 'whole ' END, low, high);
    END IF;
  END IF;
  IF refusal IS NOT NULL THEN
    PERFORM settled.fail('SD400', lower(regexp_replace(key, '([A-Z])', '-\1', 'g')), refusal);
  END IF;
  RETURN value;
END
$$;

CREATE OR REPLACE FUNCTION checkins.habit(metrics jsonb, key text)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF jsonb_typeof(metrics -> key) IS DISTINCT FROM 'boolean' THEN
    PERFORM settled.fail('SD400', lower(regexp_replace(key, '([A-Z])', '-\1', 'g')), format('%s must be true or false', key));
  END IF;
  RETURN (metrics -> key)::boolean;
END
$$;

-- Refuses what does not fit, and returns the score: halves from -11 to 9.
CREATE OR REPLACE FUNCTION checkins.score(metrics jsonb)
RETURNS numeric
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  sleep numeric;
  steps numeric;
  vigorous numeric;
  processed numeric;
  alcohol numeric;
  stress numeric;
  caffeine boolean;
  screen boolean;
  bedtime numeric;
BEGIN
  PERFORM settled.check_keys(metrics, '{sleepHours,steps,vigorousMinutes,processedFoodScore,alcoholUnits,stressLevel,
    lateCaffeine,screenLate,bedtimeHour,date}', 'metrics');
  sleep := checkins.metric(metrics, 'sleepHours', 0, 24, false);
  steps := checkins.metric(metrics, 'steps', 0, 200000, true);
  vigorous := checkins.metric(metrics, 'vigorousMinutes', 0, 1440, true);
  processed := checkins.metric(metrics, 'processedFoodScore', 0, 10, false);
  alcohol := checkins.metric(metrics, 'alcoholUnits', 0, 100, false);
  stress := checkins.metric(metrics, 'stressLevel', 0, 10, false);
  caffeine := checkins.habit(metrics, 'lateCaffeine');
  screen := checkins.habit(metrics, 'screenLate');
  bedtime := checkins.metric(metrics, 'bedtimeHour', 0, 30, false);
  RETURN CASE WHEN sleep BETWEEN 7 AND 9 THEN 2 WHEN sleep < 6 THEN -2 ELSE -0.5 END
    + CASE WHEN steps >= 10000 THEN 2 WHEN steps >= 7000 THEN 1 WHEN steps < 4000 THEN -2 ELSE -1 END
    + CASE WHEN vigorous >= 30 THEN 1.5 WHEN vigorous >= 10 THEN 0.5 ELSE -0.5 END
    + CASE WHEN processed <= 2 THEN 1 WHEN processed >= 4 THEN -1.5 ELSE -0.5 END
    + CASE WHEN alcohol = 0 THEN 1 WHEN alcohol <= 2 THEN 0 ELSE -1 END
    + CASE WHEN stress <= 3 THEN 1 WHEN stress >= 7 THEN -1.5 ELSE -0.5 END
    + CASE WHEN caffeine THEN -1 ELSE 0 END
    + CASE WHEN screen THEN -0.5 ELSE 0 END
    + CASE WHEN bedtime >= 24 OR bedtime < 5 THEN -1 WHEN bedtime > 23 THEN -0.5 ELSE 0.5 END;
END
$$;
