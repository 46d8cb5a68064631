-- Who athletes are at the provider. Source: Racing.docc/Proof.md.

-- The account at the provider that proves who an athlete is: the one of the connection, which was active once, or one
-- that the athlete has entered a race with. Neither is anybody else's. Null: the athlete is not proved. That holds also
-- for one who came back with another athlete's account.
CREATE OR REPLACE FUNCTION racing.account_of(athlete_id bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT coalesce(c.provider_athlete_id,
      (SELECT max(e.provider_athlete_id) FROM racing.entered_account AS e WHERE e.athlete_id = a.id))
    FROM racing.athlete AS a JOIN strava.connection AS c ON c.athlete_id = a.id
    WHERE a.id = account_of.athlete_id AND a.user_type <> 'spectator' AND a.erased_at IS NULL
      AND c.status <> 'revoked' AND c.reason IS DISTINCT FROM 'taken');
END
$$;

-- Whether an account at the provider proves who an athlete is.
CREATE OR REPLACE FUNCTION racing.is_proved(athlete_id bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN racing.account_of(athlete_id) IS NOT NULL;
END
$$;

-- Whether an athlete may have an account at the provider: not one that has entered a race as another athlete. Nor
-- another one than they entered with, until these races are settled: else a friend's activities would be theirs. Of
-- entries whose account is not known each account that has entered a race will do. Where racing.proof is off, an
-- account passes on to the athlete.
CREATE OR REPLACE FUNCTION racing.claim_account(athlete_id bigint, provider_athlete_id bigint)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF settled.setting('racing.proof') = 'on' THEN
    RETURN NOT EXISTS (SELECT FROM racing.entered_account AS e
      WHERE e.provider_athlete_id = claim_account.provider_athlete_id AND e.athlete_id <> claim_account.athlete_id)
      AND NOT EXISTS (SELECT FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id
          AND r.status NOT IN ('settled', 'cancelled')
        WHERE e.athlete_id = claim_account.athlete_id AND coalesce(e.account <> claim_account.provider_athlete_id,
          claim_account.provider_athlete_id <> ALL (ARRAY(
            SELECT n.provider_athlete_id FROM racing.entered_account AS n WHERE n.athlete_id = e.athlete_id))
          AND EXISTS (SELECT FROM racing.entered_account AS n WHERE n.athlete_id = e.athlete_id)));
  END IF;
  DELETE FROM racing.entered_account AS e
    WHERE e.provider_athlete_id = claim_account.provider_athlete_id AND e.athlete_id <> claim_account.athlete_id;
  RETURN true;
END
$$;

-- Keeps the gender that the provider knows, while racing.proof is on. It is that of an athlete who has given none. Null
-- only locks the athlete, because every writer locks the athlete before the connection.
CREATE OR REPLACE FUNCTION racing.keep_gender(athlete_id bigint, sex text)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  known constant text := CASE sex WHEN 'M' THEN 'male' WHEN 'F' THEN 'female' END;
BEGIN
  IF sex IS NULL THEN
    PERFORM FROM racing.athlete AS a WHERE a.id = keep_gender.athlete_id FOR NO KEY UPDATE;
  ELSIF known IS NOT NULL AND settled.setting('racing.proof') = 'on' THEN
    UPDATE racing.athlete AS a
      SET gender = coalesce(a.gender, known), provider_gender = known,
        updated_at = CASE WHEN a.gender IS NULL THEN settled.clock() ELSE a.updated_at END
      WHERE a.id = keep_gender.athlete_id AND a.erased_at IS NULL
        AND (a.gender IS NULL OR a.provider_gender IS DISTINCT FROM known);
  END IF;
END
$$;

-- The rule of racing.claim_account for writers of every release: an account that has entered a race is on no
-- other athlete's connection.
CREATE OR REPLACE FUNCTION racing.check_entered_account()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF EXISTS (SELECT FROM racing.entered_account AS e
    WHERE e.provider_athlete_id = NEW.provider_athlete_id AND e.athlete_id <> NEW.athlete_id)
  THEN
    RAISE EXCEPTION USING ERRCODE = 'unique_violation', CONSTRAINT = 'connection_entered_account',
      SCHEMA = 'strava', TABLE = 'connection',
      MESSAGE = format('another athlete has entered a race with the provider account of athlete %s', NEW.athlete_id);
  END IF;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER entered_account BEFORE INSERT OR UPDATE OF provider_athlete_id
  ON strava.connection FOR EACH ROW WHEN (NEW.provider_athlete_id IS NOT NULL)
  EXECUTE FUNCTION racing.check_entered_account();

-- What operators have to know about racing.proof; null where all is well. A database with a simulated clock may have it
-- off. A node that stopped less than three minutes ago may be on its way back, and of a former release's node it is not
-- known whether it has a provider.
CREATE OR REPLACE FUNCTION racing.proof_problem()
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF settled.setting('racing.proof') = 'off' THEN
    RETURN CASE WHEN NOT EXISTS (SELECT FROM settled.installation AS i WHERE i.simulated)
      THEN 'racing.proof is off: people without a provider account can enter races and win money' END;
  END IF;
  RETURN CASE WHEN NOT EXISTS (
      SELECT FROM settled.node AS n
      WHERE n.has_provider IS DISTINCT FROM false AND n.state <> 'gone'
        AND (n.state <> 'stopped' OR n.last_seen_at > clock_timestamp() - interval '3 minutes'))
    THEN 'racing.proof is on, but no node has a provider: new athletes cannot enter races' END;
END
$$;

-- While racing.proof is on, entrants are listed between the end of a race and its due instant: that takes some time.
CREATE OR REPLACE FUNCTION racing.check_results_grace()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF settled.setting('racing.proof') = 'on' AND settled.setting_span('racing.results_grace') = interval '0' THEN
    PERFORM settled.fail('SD400', 'value',
      'racing.results_grace must be above zero while racing.proof is on, '
      'because the daemon lists activities during this time');
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER check_results_grace AFTER UPDATE OF value ON settled.setting
  FOR EACH ROW WHEN (new.key IN ('racing.proof', 'racing.results_grace') AND new.value IS DISTINCT FROM old.value)
  EXECUTE FUNCTION racing.check_results_grace();

-- Accounts of entrants whose connection still has its account. They stand here and not in the migration, because
-- entries continued without this rule until now. Which accounts were forgotten before is not known.
INSERT INTO racing.entered_account (provider_athlete_id, athlete_id)
  SELECT c.provider_athlete_id, c.athlete_id
  FROM strava.connection AS c JOIN racing.athlete AS a ON a.id = c.athlete_id AND a.erased_at IS NULL
  WHERE c.provider_athlete_id IS NOT NULL AND EXISTS (SELECT FROM racing.entry AS e WHERE e.athlete_id = a.id)
ON CONFLICT DO NOTHING;

SELECT strava.register_account_keeper(
  claim => 'racing.claim_account(bigint, bigint)', keep_gender => 'racing.keep_gender(bigint, text)');

SELECT settled.declare_callers('racing', daemon => '{claim_account, keep_gender, proof_problem}');
