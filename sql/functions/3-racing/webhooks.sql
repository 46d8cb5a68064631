-- The hints that are followed by a read. Source: Strava.docc/Webhooks.md, "What a hint does".

-- Whether the provider's hint about an athlete's activity is followed: one that is kept or claimed, while racing.proof
-- is on. Null instead of its id: one about new activities.
CREATE OR REPLACE FUNCTION racing.follows_hint(athlete_id bigint, activity_id bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN settled.setting('racing.proof') = 'on' AND (activity_id IS NULL OR EXISTS (
    SELECT FROM racing.activity AS a
    WHERE a.strava_id = follows_hint.activity_id AND a.athlete_id = follows_hint.athlete_id
    UNION ALL
    SELECT FROM racing.claim AS k
    WHERE k.strava_id = follows_hint.activity_id AND k.athlete_id = follows_hint.athlete_id AND k.rejected_at IS NULL));
END
$$;

SELECT strava.register_hint_taker(
  follows => 'racing.follows_hint(bigint, bigint)', revoke => 'racing.disconnect_strava(bigint)');

SELECT settled.declare_callers('racing', daemon => '{follows_hint}');
