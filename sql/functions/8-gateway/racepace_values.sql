-- Racepace's value formats: ids as text, pounds and scores as exact decimals, instants in whole seconds. Each function
-- takes a value that the contract returns. Source: Gateway.docc/Systems.md, "Racing".

-- Truncates 2031-06-02T09:00:00.123Z to whole seconds.
CREATE OR REPLACE FUNCTION gateway.seconds(instant text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN left(instant, 19) || 'Z';
END
$$;

-- The pence of a body's amount in pounds: a JSON number from 0.01 to 1,000,000 without a fraction of a penny. An amount
-- within a millionth of a penny of a whole penny is rounded to it, because apps send 4.99 as 4.990000000000001024.
CREATE OR REPLACE FUNCTION gateway.pence(amount jsonb)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  pence numeric;
BEGIN
  IF amount IS NOT NULL AND jsonb_typeof(amount) = 'number' THEN
    pence := amount::numeric * 100;
    IF round(pence) BETWEEN 1 AND 100000000 AND abs(pence - round(pence)) <= 0.000001 THEN
      RETURN round(pence)::bigint;
    END IF;
  END IF;
  PERFORM settled.fail('SD400', 'amount', 'the amount must be a number of pounds from 0.01 to 1000000, in whole pence');
  RETURN NULL;
END
$$;

-- A score as displayed: km/h, km or seconds. Scores are stored in mm/s, cm and ms.
CREATE OR REPLACE FUNCTION gateway.score(type text, score bigint)
RETURNS numeric
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN trim_scale(score * CASE type WHEN 'top_speed' THEN 0.0036 WHEN 'furthest_distance' THEN 0.00001 ELSE 0.001 END);
END
$$;

-- A place, or null. For viewers other than its athlete, rounded to a hundredth of a degree.
CREATE OR REPLACE FUNCTION gateway.place(latitude double precision, longitude double precision, is_exact boolean)
RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE
    WHEN latitude IS NULL THEN NULL
    WHEN is_exact THEN jsonb_build_object('latitude', latitude, 'longitude', longitude)
    ELSE jsonb_build_object('latitude', trim_scale(round(latitude::numeric, 2)),
      'longitude', trim_scale(round(longitude::numeric, 2))) END;
END
$$;

-- Converts suspiciousSpeed to suspicious_speed.
CREATE OR REPLACE FUNCTION gateway.snake_case(word text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN lower(regexp_replace(word, '([A-Z])', '_\1', 'g'));
END
$$;

-- The status of an activity in the app's terms.
CREATE OR REPLACE FUNCTION gateway.activity_status(status text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN CASE status WHEN 'under_review' THEN 'underReview' WHEN 'rejected' THEN 'disqualified' ELSE status END;
END
$$;

-- A text value in a body. Null if the key is null or absent.
CREATE OR REPLACE FUNCTION gateway.body_text(body jsonb, key text, rule text)
RETURNS text
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF jsonb_typeof(body -> key) NOT IN ('string', 'null') THEN
    PERFORM settled.refuse_key(key, 'a string', rule);
  END IF;
  RETURN body ->> key;
END
$$;

-- An id in a body, as text or a number. An invalid id matches nothing.
CREATE OR REPLACE FUNCTION gateway.body_id(body jsonb, key text, rule text)
RETURNS bigint
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF body -> key IS NULL OR jsonb_typeof(body -> key) NOT IN ('string', 'number') THEN
    PERFORM settled.refuse_key(key, 'an id', rule);
  END IF;
  RETURN CASE WHEN body ->> key ~ '^[1-9][0-9]{0,17}$' THEN (body ->> key)::bigint ELSE 0 END;
END
$$;
