-- What a copy of the database must not use: all tokens and codes, what was to be fetched with them, and the
-- subscription to webhooks. Nothing is revoked at the provider, because all of it is the original's. Athletes connect
-- again.
CREATE OR REPLACE FUNCTION strava.fork()
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  connections bigint;
BEGIN
  PERFORM settled.check_writer();
  DELETE FROM strava.secret;
  DELETE FROM strava.access;
  DELETE FROM strava.read_request;
  DELETE FROM strava.hint;
  DELETE FROM strava.subscription;
  -- Another number of tokens: a reply that a node still keeps in a file is stale.
  UPDATE strava.connection AS c SET tokens_given = c.tokens_given + 1;
  UPDATE strava.connection AS c SET attempt = c.attempt + 1, next_call_at = NULL WHERE c.status = 'revoked';
  UPDATE strava.connection AS c SET status = 'needs_reauth', reason = 'fork', attempt = c.attempt + 1,
      expires_at = NULL, next_call_at = NULL, doubted_generation = NULL, changed_at = settled.clock()
    WHERE c.status IN ('connecting', 'active');
  GET DIAGNOSTICS connections = ROW_COUNT;
  RETURN jsonb_build_object('connections', connections);
END
$$;

SELECT settled.declare_callers('strava', daemon => '{fork}');
