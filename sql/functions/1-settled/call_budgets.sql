-- Takes up to so many calls of a budget, for all windows at once. Of each window the reserve is left,
-- but no more than a quarter; calls that may use this reserve take half of a window at most, or one. Returns how many
-- may be made, and, where these are fewer, after how many microseconds there may be more. Windows go by the business
-- clock, as the provider of a simulated database does. Source: Strava.docc/CallBudget.md, "Worked budget".
--
-- whole: the budget of which this one is a share of so many quarters, at least one call: its limits hold.
DROP FUNCTION IF EXISTS settled.take_calls(text, bigint[], text[], bigint, boolean, bigint);
CREATE OR REPLACE FUNCTION settled.take_calls(
  budget text, windows bigint[], limits text[], reserve bigint, uses_reserve boolean, wanted bigint,
  whole text DEFAULT NULL, quarters bigint DEFAULT 4, OUT granted bigint, OUT wait bigint)
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now timestamptz := settled.clock();
BEGIN
  -- 1. Every window is locked, and restarted where it is over. A start far ahead comes from a clock that was wrong.
  INSERT INTO settled.call_window AS w (budget, seconds, started_at)
    SELECT take_calls.budget, s, date_bin(s * interval '1 second', now, 'epoch') FROM unnest(windows) AS s ORDER BY s
  ON CONFLICT ON CONSTRAINT call_window_pkey DO UPDATE
    SET started_at = excluded.started_at, used = 0, used_with_reserve = 0, told_limit = NULL
    WHERE w.started_at < excluded.started_at OR w.started_at > excluded.started_at + w.seconds * interval '1 second';
  -- 2. The tightest window decides how many.
  SELECT least(wanted, greatest(0, min(left_over))),
      coalesce(max(extract(epoch FROM ends_at - now) * 1e6) FILTER (WHERE left_over < wanted), 0)::bigint
    INTO granted, wait
    FROM (
      SELECT w.started_at + w.seconds * interval '1 second' AS ends_at,
        CASE WHEN uses_reserve
          THEN least(a.calls - w.used, settled.reserve_share(a.calls) - w.used_with_reserve)
          ELSE a.calls - least(reserve, a.calls / 4) - w.used END AS left_over
      FROM unnest(windows, limits) AS l (seconds, key)
      JOIN settled.call_window AS w ON w.budget = take_calls.budget AND w.seconds = l.seconds
      LEFT JOIN settled.call_window AS o
        ON o.budget = coalesce(whole, w.budget) AND o.seconds = w.seconds AND o.started_at = w.started_at,
      LATERAL (SELECT coalesce(o.told_limit, settled.setting(l.key)::bigint) AS calls) AS t,
      LATERAL (SELECT CASE WHEN whole IS NULL THEN t.calls ELSE greatest(1, t.calls * quarters / 4) END AS calls) AS a
    ) AS x;
  -- 3. Calls stay spent, even if they fail.
  UPDATE settled.call_window AS w
    SET used = w.used + granted,
      used_with_reserve = w.used_with_reserve + CASE WHEN uses_reserve THEN granted ELSE 0 END,
      short_at = CASE WHEN granted < wanted THEN now ELSE w.short_at END
    WHERE w.budget = take_calls.budget AND w.seconds = ANY (windows) AND wanted > 0;
END
$$;

-- Gives calls of a budget back, which a share of it or a wider budget does not allow. is_short: the budget is to know
-- that it could not give what was wanted.
CREATE OR REPLACE FUNCTION settled.give_back_calls(budget text, windows bigint[], calls bigint, is_short boolean)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  UPDATE settled.call_window AS w
    SET used = greatest(0, w.used - calls),
      used_with_reserve = least(w.used_with_reserve, greatest(0, w.used - calls)),
      short_at = CASE WHEN is_short THEN settled.clock() ELSE w.short_at END
    WHERE w.budget = give_back_calls.budget AND w.seconds = ANY (windows)
$$;

-- How many calls of a window those may take that may use the reserve.
CREATE OR REPLACE FUNCTION settled.reserve_share(calls bigint)
RETURNS bigint
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT greatest(1, calls / 2)
$$;

-- Whether there is a call left, in each window, for those that may use the reserve.
CREATE OR REPLACE FUNCTION settled.has_reserve_share(budget text, windows bigint[], limits text[])
RETURNS boolean
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT NOT EXISTS (
    SELECT FROM unnest(windows, limits) AS l (seconds, key)
    JOIN settled.call_window AS w ON w.budget = has_reserve_share.budget AND w.seconds = l.seconds
    WHERE w.started_at + w.seconds * interval '1 second' > settled.clock()
      AND w.used_with_reserve >= settled.reserve_share(coalesce(w.told_limit, settled.setting(l.key)::bigint)))
$$;

-- Takes note of what the provider said with the reply to a call that was claimed at an instant of the business
-- clock, for each window that the call was made in and that has not ended: never that less was spent than is known
-- here. A limit of -1: none was told.
CREATE OR REPLACE FUNCTION settled.note_calls(
  budget text, windows bigint[], used bigint[], limits bigint[], called_at timestamptz)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  -- In the order of take_calls.
  PERFORM FROM settled.call_window AS w
    WHERE w.budget = note_calls.budget AND w.seconds = ANY (windows) ORDER BY w.seconds FOR NO KEY UPDATE;
  UPDATE settled.call_window AS w
    SET used = greatest(w.used, t.used), told_limit = CASE WHEN t.told_limit >= 0 THEN t.told_limit ELSE w.told_limit END
    FROM unnest(windows, note_calls.used, limits) AS t (seconds, used, told_limit)
    WHERE w.budget = note_calls.budget AND w.seconds = t.seconds AND called_at >= w.started_at;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{take_calls, give_back_calls, note_calls, reserve_share, has_reserve_share}');
