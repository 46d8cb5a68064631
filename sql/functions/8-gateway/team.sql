-- Team: seasonal points and rewards. Source: Gateway.docc/Systems.md, "Team".

-- GET points/seasonal/progress
CREATE OR REPLACE FUNCTION gateway.team_progress(season text, year text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN seasons.progress(season, year);
END
$$;

-- GET points/seasonal/rewards
CREATE OR REPLACE FUNCTION gateway.team_rewards(season text, year text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN seasons.rewards(season, year);
END
$$;

-- GET points/seasonal/:runnerId
CREATE OR REPLACE FUNCTION gateway.team_runner_points(runner_id bigint, season text, year text)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN seasons.runner_points(runner_id, season, year);
END
$$;

-- GET points/leaderboard. Absent parameters do not filter.
CREATE OR REPLACE FUNCTION gateway.team_leaderboard(
  season text DEFAULT NULL, year text DEFAULT NULL, max integer DEFAULT 50, skip integer DEFAULT 0)
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM gateway.check_limit(max);
  RETURN seasons.pride_leaderboard(max, season, year, skip);
END
$$;

-- POST points/seasonal/rewards. The creator is the calling coach; createdBy is ignored.
CREATE OR REPLACE FUNCTION gateway.team_create_reward(username text, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_coach(username);
  PERFORM settled.check_keys(body, '{season,year,description,pointThreshold,displayOrder,createdBy}', 'body');
  RETURN seasons.create_reward(body || jsonb_build_object('createdBy', username));
END
$$;

-- PUT points/seasonal/rewards/:id
CREATE OR REPLACE FUNCTION gateway.team_update_reward(username text, reward_id bigint, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_coach(username);
  PERFORM settled.check_keys(body, '{description,pointThreshold,displayOrder}', 'body');
  RETURN seasons.update_reward(reward_id, body);
END
$$;

-- DELETE points/seasonal/rewards/:id. The response has no body.
CREATE OR REPLACE FUNCTION gateway.team_delete_reward(username text, reward_id bigint)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM settled.check_writer();
  PERFORM gateway.check_coach(username);
  PERFORM seasons.delete_reward(reward_id);
  RETURN '{}'::jsonb;
END
$$;

-- POST points/earn for the caller's own runner, a few times per day; a coach can earn for any runner. SD429 `quota`:
-- the limit is exceeded. The transaction shows the balance just after it. For a repeated call, the balance is computed
-- again: the runner is locked, and the ids of a runner's transactions follow their order.
CREATE OR REPLACE FUNCTION gateway.team_earn(username text, runner bigint, body jsonb)
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  earner bigint;
  is_coach boolean;
  answer jsonb;
  transaction jsonb;
  balance bigint;
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_keys(body, '{runnerId,activityType,activityUuid,season,year,description}', 'body');
  earner := coalesce(
    settled.number_of(body, 'runnerId', 1, 9223372036854775807, is_whole => true, is_optional => true)::bigint, runner);
  PERFORM gateway.check_identity(earner::text);
  is_coach := seasons.is_coach(username);
  IF earner IS DISTINCT FROM runner AND NOT is_coach THEN
    PERFORM settled.fail('SD403', 'identity', 'only a coach can award points to other runners');
  END IF;
  answer := seasons.earn_points(earner, settled.text_of(body, 'activityType', is_optional => true),
    settled.text_of(body, 'activityUuid', min => 1, is_optional => true),
    settled.text_of(body, 'season', is_optional => true), body ->> 'year',
    settled.text_of(body, 'description', is_optional => true));
  transaction := answer -> 'transaction';
  IF (answer ->> 'pointsEarned')::bigint > 0 THEN
    IF NOT is_coach THEN
      PERFORM seasons.count_own_earning(earner, transaction ->> 'activityType');
    END IF;
    balance := (answer ->> 'newBalance')::bigint;
  ELSE
    SELECT sum(e.points) INTO balance FROM seasons.earning AS e
      WHERE e.runner_id = earner AND e.id <= (transaction ->> 'id')::bigint;
  END IF;
  RETURN answer || jsonb_build_object('transaction', transaction || jsonb_build_object(
    'pointsAmount', transaction -> 'points', 'transactionType', 'EARNED', 'balanceAfter', balance));
END
$$;

SELECT settled.declare_callers('gateway',
  gateway => '{
    team_progress, team_rewards, team_runner_points, team_create_reward, team_update_reward, team_delete_reward,
    team_earn, team_leaderboard}');
