-- The entry point for the provider's webhooks. The gateway passes digests, so statements contain no secrets.
-- Source: Strava.docc/Webhooks.md.

-- The digests of the paths that the provider can call, in hexadecimal.
CREATE OR REPLACE FUNCTION gateway.webhook_paths()
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN coalesce((SELECT jsonb_agg(encode(s.path_digest, 'hex')) FROM strava.subscription AS s), '[]'::jsonb);
END
$$;

-- SD404 `path` if no such path was given to the provider. Digests are compared, so timing reveals nothing.
CREATE OR REPLACE FUNCTION gateway.check_webhook_path(path_digest bytea)
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM strava.subscription AS s WHERE s.path_digest = check_webhook_path.path_digest) THEN
    PERFORM settled.fail('SD404', 'path', 'this path does not exist');
  END IF;
END
$$;

-- The provider validates the path: returns the challenge. SD403 `verify-token`: the request does not contain the
-- subscription's verify token.
CREATE OR REPLACE FUNCTION gateway.confirm_webhook(path_digest bytea, verify_digest bytea, mode text, challenge text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_webhook_path(path_digest);
  PERFORM settled.check_text(challenge, 'hub.challenge', max => 255, min => 1);
  IF mode IS DISTINCT FROM 'subscribe' THEN
    PERFORM settled.fail('SD400', 'hub.mode', 'hub.mode must be subscribe');
  ELSIF NOT EXISTS (SELECT FROM strava.subscription AS s
    WHERE s.path_digest = confirm_webhook.path_digest AND s.verify_digest = confirm_webhook.verify_digest)
  THEN
    PERFORM settled.fail('SD403', 'verify-token', 'the verify token does not match the subscription');
  END IF;
  RETURN jsonb_build_object('hub.challenge', challenge);
END
$$;

-- Stores a hint from the provider. SD400 with the member's name if a member is missing or has the wrong type.
CREATE OR REPLACE FUNCTION gateway.take_hint(path_digest bytea, hint jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  member text;
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_webhook_path(path_digest);
  PERFORM gateway.check_object(hint);
  FOREACH member IN ARRAY '{object_type,aspect_type}'::text[] LOOP
    IF jsonb_typeof(hint -> member) IS DISTINCT FROM 'string' THEN
      PERFORM settled.fail('SD400', member, format('%s must be a string', member));
    END IF;
  END LOOP;
  FOREACH member IN ARRAY '{object_id,owner_id,subscription_id,event_time}'::text[] LOOP
    IF jsonb_typeof(hint -> member) IS DISTINCT FROM 'number' OR hint ->> member !~ '^[0-9]{1,18}$'
      OR member = 'event_time' AND length(hint ->> member) > 11
    THEN
      PERFORM settled.fail('SD400', member, format('%s must be a whole number', member));
    END IF;
  END LOOP;
  PERFORM strava.take_hint(hint);
  RETURN '{}'::jsonb;
END
$$;

SELECT settled.declare_callers('gateway', gateway => '{webhook_paths, confirm_webhook, take_hint}');
