-- The caller, and the person on whose behalf the caller acts. The gateway takes both from the token; the path and the
-- body must match them. Source: Gateway.docc/WhoMayDoWhat.md, "Kinds of access".

-- SD403 `identity` if the token has no identity in the system.
CREATE OR REPLACE FUNCTION gateway.check_identity(identity text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF identity IS NULL THEN
    PERFORM settled.fail('SD403', 'identity', 'this token has no identity in this system');
  END IF;
END
$$;

-- SD403 `identity` if a request names a person other than the caller. A request that names no one means the caller.
CREATE OR REPLACE FUNCTION gateway.check_named(named text, identity text)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_identity(identity);
  IF named <> identity THEN
    PERFORM settled.fail('SD403', 'identity', 'the request is for another person');
  END IF;
END
$$;

-- SD403 `coach` if the caller is not a coach.
CREATE OR REPLACE FUNCTION gateway.check_coach(username text)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_identity(username);
  IF NOT seasons.is_coach(username) THEN
    PERFORM settled.fail('SD403', 'coach', 'only coaches can do this');
  END IF;
END
$$;

-- SD400 `limit` unless the page size is from 1 to 100 rows.
CREATE OR REPLACE FUNCTION gateway.check_limit(max integer)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF max IS NULL OR max NOT BETWEEN 1 AND 100 THEN
    PERFORM settled.fail('SD400', 'limit', 'limit must be between 1 and 100');
  END IF;
END
$$;

-- SD400 `body` if the body is not a JSON object. Used for bodies of which only some keys are read.
CREATE OR REPLACE FUNCTION gateway.check_object(body jsonb)
RETURNS void
LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF body IS NULL OR jsonb_typeof(body) <> 'object' THEN
    PERFORM settled.refuse_key('body', 'a JSON object');
  END IF;
END
$$;
