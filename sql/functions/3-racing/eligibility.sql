-- The date of an instant in racing's zone.
CREATE OR REPLACE FUNCTION racing.local_date(at timestamptz)
RETURNS date
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  zone text := settled.setting('racing.time_zone');
BEGIN
  PERFORM settled.check_zone(zone);
  RETURN settled.shown(at, zone)::date;
END
$$;

-- Full years on a day. Who was born on 29 February has the birthday on 1 March in other years.
CREATE OR REPLACE FUNCTION racing.age_on(born date, day date)
RETURNS integer
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (extract(year FROM day) - extract(year FROM born))::integer
    - CASE WHEN (extract(month FROM day), extract(day FROM day)) < (extract(month FROM born), extract(day FROM born))
      THEN 1 ELSE 0 END;
END
$$;

-- One's own age band or any older one, never a younger. Women enter women's and men's races, everybody else the men's.
CREATE OR REPLACE FUNCTION racing.may_enter(gender text, age integer, category text)
RETURNS boolean
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT (CASE WHEN age < 18 THEN 0 WHEN age < 23 THEN 1 WHEN age < 35 THEN 2 ELSE 3 END) <= c.band
      AND (gender = 'female' OR NOT c.women_only)
    FROM (VALUES
      ('junior_girls', 0, true), ('junior_boys', 0, false),
      ('women_u23', 1, true), ('men_u23', 1, false),
      ('senior_women', 2, true), ('senior_men', 2, false),
      ('masters_women', 3, true), ('masters_men', 3, false)
    ) AS c (category, band, women_only)
    WHERE c.category = may_enter.category);
END
$$;
