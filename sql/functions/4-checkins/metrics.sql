-- The metrics of a check-in (CheckIns.docc/CheckInScore.md): nine, all required, and the score that follows from
-- them.

-- Those of former releases.
DROP FUNCTION IF EXISTS checkins.metric(jsonb, text, numeric, numeric, boolean);
DROP FUNCTION IF EXISTS checkins.habit(jsonb, text);

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
  sleep := settled.number_of(metrics, 'sleepHours', 0, 24);
  steps := settled.number_of(metrics, 'steps', 0, 200000, is_whole => true);
  vigorous := settled.number_of(metrics, 'vigorousMinutes', 0, 1440, is_whole => true);
  processed := settled.number_of(metrics, 'processedFoodScore', 0, 10);
  alcohol := settled.number_of(metrics, 'alcoholUnits', 0, 100);
  stress := settled.number_of(metrics, 'stressLevel', 0, 10);
  caffeine := settled.flag_of(metrics, 'lateCaffeine');
  screen := settled.flag_of(metrics, 'screenLate');
  bedtime := settled.number_of(metrics, 'bedtimeHour', 0, 30);
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
