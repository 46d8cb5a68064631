-- The subscription to the provider's webhooks. Source: Strava.docc/Webhooks.md.

-- Keeps what the provider will show at the gateway, before it is asked to subscribe: the digests of the path's secret
-- and of the verify token. Returns {callback, isActive, formerDigest}. isActive: the subscription to this callback is
-- there, and nothing was changed. formerDigest: hexadecimal digits of an earlier path whose subscription the provider
-- may have made, because its answer never came. SD409 `subscribed`: there is one to another callback. SD503 `home`.
CREATE OR REPLACE FUNCTION strava.begin_subscription(callback text, path_digest bytea, verify_digest bytea)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz;
  s strava.subscription;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_home();
  PERFORM settled.check_text(callback, 'callback', max => 200, min => 1);
  IF octet_length(path_digest) IS DISTINCT FROM 32 OR octet_length(verify_digest) IS DISTINCT FROM 32 THEN
    PERFORM settled.fail('SD400', 'digest', 'a SHA-256 digest must be 32 bytes long');
  END IF;
  SELECT x.* INTO s FROM strava.subscription AS x FOR UPDATE;
  IF s.subscription_id IS NOT NULL AND s.callback = begin_subscription.callback THEN
    RETURN jsonb_build_object('callback', s.callback, 'isActive', true, 'formerDigest', NULL);
  ELSIF s.subscription_id IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'subscribed', format('subscription %s for %s is active: unsubscribe first',
      s.subscription_id, s.callback));
  END IF;
  now := settled.clock();
  INSERT INTO strava.subscription AS x (callback, path_digest, verify_digest, asked_at)
    VALUES (begin_subscription.callback, begin_subscription.path_digest, begin_subscription.verify_digest, now)
  ON CONFLICT ON CONSTRAINT subscription_pkey DO UPDATE SET callback = excluded.callback,
    path_digest = excluded.path_digest, verify_digest = excluded.verify_digest, asked_at = excluded.asked_at;
  RETURN jsonb_build_object('callback', begin_subscription.callback, 'isActive', false,
    'formerDigest', encode(s.path_digest, 'hex'));
END
$$;

-- The provider has made the subscription of this path. False where another one was asked for meanwhile.
CREATE OR REPLACE FUNCTION strava.confirm_subscription(path_digest bytea, subscription_id bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz;
BEGIN
  PERFORM settled.check_writer();
  PERFORM FROM strava.subscription AS s WHERE s.path_digest = confirm_subscription.path_digest FOR UPDATE;
  now := settled.clock();
  UPDATE strava.subscription AS s
    SET subscription_id = confirm_subscription.subscription_id, confirmed_at = coalesce(s.confirmed_at, now)
    WHERE s.path_digest = confirm_subscription.path_digest;
  RETURN FOUND;
END
$$;

-- The provider has refused or deleted the subscription of this path: what it calls is unknown from now on.
CREATE OR REPLACE FUNCTION strava.end_subscription(path_digest bytea)
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  DELETE FROM strava.subscription AS s WHERE s.path_digest = end_subscription.path_digest;
  RETURN FOUND;
END
$$;

-- How the subscription is shown; null where there is none.
CREATE OR REPLACE FUNCTION strava.subscription_json()
RETURNS jsonb
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT jsonb_build_object('state', CASE WHEN s.subscription_id IS NULL THEN 'asked' ELSE 'active' END,
    'id', s.subscription_id, 'callback', s.callback, 'askedAt', settled.iso(s.asked_at),
    'confirmedAt', settled.iso(s.confirmed_at), 'hints', (SELECT count(*) FROM strava.hint),
    'lastHintAt', (SELECT settled.iso(max(h.received_at)) FROM strava.hint AS h))
  FROM strava.subscription AS s
$$;

SELECT settled.declare_callers('strava',
  daemon => '{begin_subscription, confirm_subscription, end_subscription, subscription_json}',
  fixed => '{begin_subscription, confirm_subscription, end_subscription}');
