-- What athletes claim to have done. Nothing of a claim counts until the provider has shown the activity (proving.sql).
-- Source: Racing.docc/Claims.md.

-- Whether racing.proof is on, from here to the end of the transaction: who switches it waits.
CREATE OR REPLACE FUNCTION racing.hold_proof()
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  PERFORM FROM settled.setting AS s WHERE s.key = 'racing.proof' FOR SHARE;
  RETURN settled.setting('racing.proof') = 'on';
END
$$;

-- Locks the races that are not settled, of which an athlete has an entry and the window holds the instant beside. The
-- caller has locked athletes, activities and claims.
CREATE OR REPLACE FUNCTION racing.lock_races(athletes bigint[], instants timestamptz[])
RETURNS bigint[]
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT ARRAY(
    SELECT r.id FROM racing.race AS r
    WHERE r.status NOT IN ('settled', 'cancelled') AND r.id IN (
      SELECT x.id FROM unnest(athletes, instants) AS w (athlete_id, started_at)
      JOIN racing.entry AS e ON e.athlete_id = w.athlete_id
      JOIN racing.race AS x ON x.id = e.race_id AND x.starts_at <= w.started_at AND w.started_at < x.ends_at)
    ORDER BY r.id FOR NO KEY UPDATE)
$$;

-- Asks the provider for an athlete's open claims, or for one of them. Claims whose start lies in a race that the
-- athlete has entered and that is not settled: one listing over all these races; once such a race has ended, also one
-- in the line of its results, once for each entry. Others: each by its id. Claims that the provider hides without a
-- scope wait for the scope; one of them that is asked for is read by its id, because a listing would hide it. The
-- caller has locked the athlete.
CREATE OR REPLACE FUNCTION racing.ask_claims(athlete_id bigint, claim_id bigint DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  now constant timestamptz := settled.clock();
  shows_all constant boolean := strava.has_scope(athlete_id, 'activity:read_all');
  entered record;
  listed record;
  fresh bigint[];
BEGIN
  IF NOT EXISTS (SELECT FROM racing.claim AS c WHERE c.athlete_id = ask_claims.athlete_id AND c.rejected_at IS NULL) THEN
    RETURN;
  END IF;
  SELECT min(r.starts_at) AS since, max(r.ends_at) AS before INTO entered
    FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id AND r.status IN ('upcoming', 'active', 'ended')
    WHERE e.athlete_id = ask_claims.athlete_id;
  -- The entries whose claims have had no listing yet. One whose race is locked is being settled, and needs none.
  fresh := ARRAY(
    SELECT e.id FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id AND r.status IN ('upcoming', 'active', 'ended')
    WHERE e.athlete_id = ask_claims.athlete_id AND e.claims_listed_at IS NULL AND r.ends_at <= now
    ORDER BY e.id FOR NO KEY UPDATE OF r, e SKIP LOCKED);
  -- Behind the due instant the end lies a second before that of racing.ask_unlisted, which marks entrants whom only the
  -- limit of reads kept from being listed: what their listing shows counts as in time.
  SELECT array_agg(DISTINCT c.id) AS ids, max(c.until_at) AS until_at,
    array_agg(DISTINCT e.id) FILTER (WHERE e.id = ANY (fresh) AND c.claimed_at < r.due_at) AS entries,
    min(r.due_at) FILTER (WHERE e.id = ANY (fresh) AND c.claimed_at < r.due_at) AS due_at,
    min(CASE WHEN r.due_at - interval '5 minutes' > now THEN r.due_at - interval '5 minutes'
      ELSE r.due_at + r.review_hold - interval '1 second' END) FILTER (WHERE e.id = ANY (fresh) AND c.claimed_at < r.due_at) AS results_until
    INTO listed
    FROM racing.claim AS c
    JOIN racing.entry AS e ON e.athlete_id = c.athlete_id
    JOIN racing.race AS r ON r.id = e.race_id AND r.status IN ('upcoming', 'active', 'ended')
      AND r.starts_at <= c.started_at AND c.started_at < r.ends_at
    WHERE c.athlete_id = ask_claims.athlete_id AND c.rejected_at IS NULL AND c.id = coalesce(claim_id, c.id)
      AND (c.reason IS NULL OR shows_all AND claim_id IS NULL);
  IF listed.results_until IS NOT NULL THEN
    UPDATE racing.entry AS e SET claims_listed_at = now WHERE e.id = ANY (listed.entries);
    PERFORM strava.ask_listing(athlete_id, entered.since, entered.before, listed.results_until, 0,
      due_at => listed.due_at);
  END IF;
  IF listed.ids IS NOT NULL THEN
    PERFORM strava.ask_listing(athlete_id, entered.since, entered.before, listed.until_at, 1);
  END IF;
  PERFORM strava.ask_activity(c.athlete_id, c.strava_id, c.until_at, CASE WHEN entered.since IS NULL THEN 2 ELSE 1 END)
    FROM racing.claim AS c
    WHERE c.athlete_id = ask_claims.athlete_id AND c.rejected_at IS NULL AND c.id = coalesce(claim_id, c.id)
      AND (c.reason IS NULL OR shows_all OR claim_id IS NOT NULL) AND c.id <> ALL (coalesce(listed.ids, '{}'))
    ORDER BY c.claimed_at, c.id;
END
$$;

-- Takes a claim of an activity at the provider, and asks the provider for it. Returns the id of the claim, or of the
-- athlete's activity that is here. An open claim keeps its content and its instant; a rejected one is open again with
-- new ones. SD400: as an import. SD403 `not-connected`: nobody could prove it.
CREATE OR REPLACE FUNCTION racing.claim_activity(athlete_id bigint, activity jsonb)
RETURNS bigint
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  given record;
  new racing.activity;
  its_athlete racing.athlete;
  known bigint;
  claim racing.claim;
  asked_at timestamptz;
  races bigint[];
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  given := racing.activity_content(activity);
  new := given.content;
  SELECT a.* INTO its_athlete FROM racing.athlete AS a WHERE a.id = claim_activity.athlete_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF its_athlete.erased_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  ELSIF its_athlete.user_type = 'spectator' THEN
    PERFORM settled.fail('SD403', 'spectator', 'spectators cannot import activities');
  ELSIF NOT EXISTS (SELECT FROM strava.connection AS c
    WHERE c.athlete_id = claim_activity.athlete_id AND c.status <> 'revoked')
  THEN
    PERFORM settled.fail('SD403', 'not-connected', 'the athlete is not connected');
  END IF;

  SELECT a.id INTO known FROM racing.activity AS a
    WHERE a.strava_id = new.strava_id AND a.athlete_id = claim_activity.athlete_id;
  IF known IS NOT NULL THEN
    RETURN known;
  END IF;
  SELECT c.* INTO claim FROM racing.claim AS c
    WHERE c.athlete_id = claim_activity.athlete_id AND c.strava_id = new.strava_id FOR UPDATE;
  IF claim.id IS NOT NULL AND claim.rejected_at IS NULL THEN
    IF claim.reason IS NOT NULL THEN
      PERFORM racing.ask_claims(athlete_id, claim.id);
    END IF;
    RETURN claim.id;
  END IF;

  asked_at := settled.clock();
  IF racing.is_ahead(new.started_at, new.elapsed_time, asked_at) THEN
    PERFORM settled.fail('SD400', 'start-date', 'the activity ends more than ten minutes from now');
  END IF;
  -- Stamped behind the races' locks: what waited past a due instant is late.
  races := racing.lock_races(ARRAY[athlete_id], ARRAY[new.started_at]);
  claim.claimed_at := greatest(asked_at, settled.clock());
  -- The clock may have gone back since a race settled that held the claim: opened again, it is late for that race.
  IF claim.id IS NOT NULL THEN
    claim.claimed_at := greatest(claim.claimed_at, (
      SELECT max(r.due_at) FROM racing.entry AS e JOIN racing.race AS r ON r.id = e.race_id AND r.status = 'settled'
      JOIN racing.settlement AS s ON s.race_id = r.id AND claim.id = ANY (s.held_activities)
      WHERE e.athlete_id = claim_activity.athlete_id));
  END IF;
  claim.account := coalesce(
    (SELECT c.provider_athlete_id FROM strava.connection AS c WHERE c.athlete_id = claim_activity.athlete_id),
    racing.account_of(athlete_id));
  claim.until_at := greatest(claim.claimed_at + interval '7 days',
    (SELECT max(r.due_at + r.review_hold) FROM racing.race AS r WHERE r.id = ANY (races) AND r.due_at > claim.claimed_at));
  INSERT INTO racing.claim AS c (id, athlete_id, strava_id, started_at, claimed_at, until_at, content, account)
    VALUES (coalesce(claim.id, nextval('racing.activity_id_seq')), claim_activity.athlete_id, new.strava_id,
      new.started_at, claim.claimed_at, claim.until_at, activity - 'streams', claim.account)
  ON CONFLICT ON CONSTRAINT claim_once DO UPDATE SET
    started_at = excluded.started_at, claimed_at = excluded.claimed_at, until_at = excluded.until_at,
    content = excluded.content, account = excluded.account, reason = NULL, rejected_at = NULL, shown_at = NULL
  RETURNING c.id INTO claim.id;
  PERFORM racing.check_again(races);
  PERFORM racing.ask_claims(athlete_id, claim.id);
  RETURN claim.id;
END
$$;

-- Rejects those of these claims that are open. Races that they held are checked again. Reads of them that wait find
-- nothing to do: they are not dropped here, because connections are locked before reads, and those of several athletes
-- only in their order. The caller has locked no race but those that these claims hold.
CREATE OR REPLACE FUNCTION racing.reject(claims bigint[])
RETURNS void
LANGUAGE plpgsql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  rejected record;
BEGIN
  SELECT coalesce(array_agg(c.id), '{}') AS ids, coalesce(array_agg(c.athlete_id), '{}') AS athletes,
      coalesce(array_agg(c.started_at), '{}') AS starts
    INTO rejected
    FROM (
      SELECT x.* FROM racing.claim AS x WHERE x.id = ANY (claims) AND x.rejected_at IS NULL ORDER BY x.id FOR UPDATE
    ) AS c;
  IF rejected.ids = '{}' THEN
    RETURN;
  END IF;
  PERFORM racing.check_again(racing.lock_races(rejected.athletes, rejected.starts));
  UPDATE racing.claim AS c SET reason = coalesce(c.reason, 'provider'), rejected_at = settled.clock()
    WHERE c.id = ANY (rejected.ids);
END
$$;

-- Rejects all open claims of an athlete. The caller has locked the athlete, and not the connection.
CREATE OR REPLACE FUNCTION racing.reject_claims(athlete_id bigint)
RETURNS void
LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT racing.reject(ARRAY(SELECT c.id FROM racing.claim AS c
    WHERE c.athlete_id = reject_claims.athlete_id AND c.rejected_at IS NULL))
$$;

-- Switching racing.proof off rejects the open claims: nobody will prove them, and nothing is read for them.
CREATE OR REPLACE FUNCTION racing.proof_switched_off()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  open constant bigint[] := ARRAY(SELECT c.id FROM racing.claim AS c WHERE c.rejected_at IS NULL);
BEGIN
  PERFORM racing.reject(open);
  PERFORM FROM strava.connection AS c
    WHERE c.athlete_id IN (SELECT x.athlete_id FROM racing.claim AS x WHERE x.id = ANY (open))
    ORDER BY c.athlete_id FOR NO KEY UPDATE;
  PERFORM strava.drop_reads(c.athlete_id, c.strava_id) FROM racing.claim AS c WHERE c.id = ANY (open);
  -- What is still to be listed of entrants follows the other switch again.
  UPDATE strava.read_request AS r SET follows_switch = true WHERE NOT r.follows_switch;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER proof_switched_off AFTER UPDATE OF value ON settled.setting
  FOR EACH ROW WHEN (new.key = 'racing.proof' AND new.value = 'off' AND old.value IS DISTINCT FROM 'off')
  EXECUTE FUNCTION racing.proof_switched_off();

-- Rejects open claims whose time is over, and deletes those that were rejected 30 days ago; at most so many of each.
-- Returns how many it touched. They hold no race any more: until_at lies behind each hold.
CREATE OR REPLACE FUNCTION racing.prune_claims(max bigint, now timestamptz)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  WITH ended AS (
    UPDATE racing.claim AS c SET reason = coalesce(c.reason, 'provider'), rejected_at = prune_claims.now
    WHERE c.id IN (SELECT x.id FROM racing.claim AS x WHERE x.rejected_at IS NULL AND x.until_at <= prune_claims.now
      ORDER BY x.id LIMIT prune_claims.max FOR UPDATE SKIP LOCKED)
    RETURNING c.id
  ), gone AS (
    DELETE FROM racing.claim AS c
    WHERE c.id IN (SELECT x.id FROM racing.claim AS x WHERE x.rejected_at <= prune_claims.now - interval '720 hours'
        ORDER BY x.rejected_at LIMIT prune_claims.max FOR UPDATE SKIP LOCKED)
    RETURNING c.id
  )
  SELECT (SELECT count(*) FROM ended) + (SELECT count(*) FROM gone)
$$;

-- Deletes claims that were rejected until these athletes' revocation, whose content is to be forgotten by now; at most
-- so many. Returns how many.
CREATE OR REPLACE FUNCTION racing.forget_claims(athletes bigint[], max bigint, now timestamptz)
RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  WITH gone AS (
    DELETE FROM racing.claim AS c
    WHERE c.id IN (SELECT x.id FROM racing.revocation AS r
      JOIN racing.claim AS x ON x.athlete_id = r.athlete_id AND x.rejected_at <= r.revoked_at
      WHERE r.athlete_id = ANY (athletes) AND r.forget_at <= forget_claims.now
      LIMIT forget_claims.max FOR UPDATE OF x SKIP LOCKED)
    RETURNING c.id
  )
  SELECT count(*) FROM gone
$$;

SELECT settled.declare_callers('racing', daemon => '{prune_claims, forget_claims}');
