-- What a person's check-ins did to their biological age (CheckIns.docc/Age.md). Totals are kept, because entries may be
-- pruned. Reads each entry once: a few seconds for a million of them, in which nobody checks in.
ALTER TABLE checkins.profile
  ADD COLUMN chronological_age_years numeric,
  ADD COLUMN delta_years numeric NOT NULL DEFAULT 0,
  ADD COLUMN rejuvenation_days integer NOT NULL DEFAULT 0,
  ADD COLUMN acceleration_days integer NOT NULL DEFAULT 0,
  ADD COLUMN trend_days integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN checkins.profile.chronological_age_years IS 'As it was given at the onboarding; null: never.';
COMMENT ON COLUMN checkins.profile.delta_years IS 'The sum of the deltas of all days, those of pruned entries too.';
COMMENT ON COLUMN checkins.profile.rejuvenation_days IS 'How many days had a delta below 0.';
COMMENT ON COLUMN checkins.profile.acceleration_days IS 'How many days had a delta above 0.';
COMMENT ON COLUMN checkins.profile.trend_days IS
  'How many consecutive days up to the last entry had a delta of its sign: below 0 for rejuvenation, above 0 for acceleration.';

CREATE FUNCTION checkins.delta_years(score numeric)
RETURNS numeric
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT trim_scale(round(greatest(-0.3, least(0.3, -0.03 * score)), 2))
$$;

-- From now on each entry is counted, also by the functions of the former release, which stay until those of this one
-- are applied.
CREATE FUNCTION checkins.count_day()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  delta CONSTANT numeric := checkins.delta_years(NEW.score);
BEGIN
  UPDATE checkins.profile AS p SET
      delta_years = p.delta_years + delta,
      trend_days = sign(delta)::integer + CASE WHEN p.trend_days * sign(delta) > 0 AND EXISTS (
        SELECT FROM checkins.entry AS e WHERE e.profile_id = NEW.profile_id AND e.date = NEW.date - 1)
        THEN p.trend_days ELSE 0 END,
      rejuvenation_days = p.rejuvenation_days + CASE WHEN delta < 0 THEN 1 ELSE 0 END,
      acceleration_days = p.acceleration_days + CASE WHEN delta > 0 THEN 1 ELSE 0 END
    WHERE p.id = NEW.profile_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_day AFTER INSERT ON checkins.entry FOR EACH ROW EXECUTE FUNCTION checkins.count_day();

WITH day AS (
  SELECT e.profile_id, e.date, checkins.delta_years(e.score) AS delta FROM checkins.entry AS e
), run AS (
  -- Consecutive days of one sign have the same value of this.
  SELECT d.*, d.date - (row_number() OVER (PARTITION BY d.profile_id, sign(d.delta) ORDER BY d.date))::integer AS began
  FROM day AS d
), latest AS (
  SELECT DISTINCT ON (r.profile_id) r.profile_id, sign(r.delta) AS sign, r.began
  FROM run AS r ORDER BY r.profile_id, r.date DESC
)
UPDATE checkins.profile AS p
SET delta_years = t.delta, rejuvenation_days = t.rejuvenation, acceleration_days = t.acceleration, trend_days = t.trend
FROM (
  SELECT r.profile_id, sum(r.delta) AS delta, (count(*) FILTER (WHERE r.delta < 0))::integer AS rejuvenation,
    (count(*) FILTER (WHERE r.delta > 0))::integer AS acceleration,
    (count(*) FILTER (WHERE sign(r.delta) = l.sign AND r.began = l.began) * l.sign)::integer AS trend
  FROM run AS r JOIN latest AS l ON l.profile_id = r.profile_id
  GROUP BY r.profile_id, l.sign
) AS t
WHERE p.id = t.profile_id;

ALTER TABLE checkins.profile
  ADD CONSTRAINT profile_chronological_age CHECK (chronological_age_years BETWEEN 0 AND 150),
  ADD CONSTRAINT profile_trend CHECK (rejuvenation_days >= 0 AND acceleration_days >= 0
    AND trend_days BETWEEN -rejuvenation_days AND acceleration_days);
