-- Enters an athlete: charges the fee, creates the entry, counts it, in one transaction.
--
-- Locks first, in the order of every writer: athlete, activities, claims, race, wallet, and the connection last. The
-- athlete's lock is shared: it keeps an import or a change of the profile out, not another entry. The activities are
-- those in the race's window: what is validated meanwhile either sees the entry, or is seen by it. Then the clock and
-- everything else are read: what waited for a race that has ended meanwhile is refused. The checks stand in the order
-- of Racing.docc/Entry.md, "Order of the checks".
CREATE OR REPLACE FUNCTION racing.enter_race(athlete_id bigint, race_id bigint)
RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  a racing.athlete;
  r racing.race;
  now timestamptz;
  balance bigint;
  c strava.connection;
  new_entry bigint;
  new_journal bigint;
  activities bigint[];
BEGIN
  PERFORM settled.check_writer();
  PERFORM settled.check_present(athlete_id, 'athlete-id');
  PERFORM settled.check_present(race_id, 'race-id');
  SELECT x.* INTO a FROM racing.athlete AS x WHERE x.id = enter_race.athlete_id FOR SHARE;
  activities := ARRAY(
    SELECT x.id FROM racing.race AS w
    JOIN racing.activity AS x ON x.athlete_id = a.id AND x.started_at >= w.starts_at AND x.started_at < w.ends_at
    WHERE w.id = enter_race.race_id ORDER BY x.id FOR NO KEY UPDATE OF x);
  -- An open claim in the window holds this race too.
  PERFORM FROM racing.claim AS x JOIN racing.race AS w ON w.id = enter_race.race_id
      AND x.started_at >= w.starts_at AND x.started_at < w.ends_at
    WHERE x.athlete_id = a.id AND x.rejected_at IS NULL ORDER BY x.id FOR UPDATE OF x;
  UPDATE racing.claim AS x SET until_at = greatest(x.until_at, w.due_at + w.review_hold)
    FROM racing.race AS w
    WHERE w.id = enter_race.race_id AND x.athlete_id = a.id AND x.rejected_at IS NULL
      AND x.started_at >= w.starts_at AND x.started_at < w.ends_at;
  SELECT x.* INTO r FROM racing.race AS x WHERE x.id = enter_race.race_id FOR NO KEY UPDATE;
  SELECT w.balance_pence INTO balance FROM racing.wallet AS w WHERE w.athlete_id = a.id FOR NO KEY UPDATE;
  SELECT x.* INTO c FROM strava.connection AS x WHERE x.athlete_id = a.id FOR NO KEY UPDATE;
  now := settled.clock();

  IF r.id IS NULL THEN
    PERFORM settled.fail('SD404', 'race', 'there is no such race');
  ELSIF a.id IS NULL THEN
    PERFORM settled.fail('SD404', 'athlete', 'there is no such athlete');
  ELSIF a.erased_at IS NOT NULL THEN
    PERFORM settled.fail('SD409', 'erased', 'the athlete was erased');
  ELSIF a.user_type = 'spectator' THEN
    PERFORM settled.fail('SD403', 'spectator', 'spectators cannot enter races');
  ELSIF c.athlete_id IS NULL OR c.status = 'revoked' THEN
    PERFORM settled.fail('SD403', 'not-connected', 'the athlete is not connected');
  ELSIF settled.setting('racing.proof') = 'on' AND NOT racing.is_proved(a.id) THEN
    PERFORM settled.fail('SD403', 'not-proved', 'the athlete''s identity is not proved by a provider account',
      CASE WHEN strava.awaits_exchange(a.id) THEN '{"retry": true}'::jsonb END);
  ELSIF a.date_of_birth IS NULL OR a.gender IS NULL THEN
    PERFORM settled.fail('SD403', 'profile', 'the athlete''s date of birth and gender are required');
  ELSIF r.status NOT IN ('upcoming', 'active') THEN
    PERFORM settled.fail('SD409', 'status', format('the race is %s', r.status), jsonb_build_object('status', r.status));
  ELSIF now >= r.ends_at - r.entry_cutoff THEN
    PERFORM settled.fail('SD409', 'cutoff', 'entries are closed',
      jsonb_build_object('closedAt', settled.iso(r.ends_at - r.entry_cutoff)));
  ELSIF NOT racing.may_enter(a.gender, racing.age_on(a.date_of_birth, racing.local_date(r.starts_at)), r.category) THEN
    PERFORM settled.fail('SD403', 'category', 'this category is not open to the athlete');
  ELSIF EXISTS (SELECT FROM racing.entry AS e WHERE e.race_id = r.id AND e.athlete_id = a.id) THEN
    PERFORM settled.fail('SD409', 'already-entered', 'the athlete has already entered this race');
  ELSIF racing.has_judged(a.id, r) THEN
    PERFORM settled.fail('SD403', 'own-race', 'the athlete has moderated an activity in this race');
  ELSIF balance < r.entry_fee_pence THEN
    PERFORM settled.fail('SD402', 'funds', 'insufficient funds for the entry fee',
      jsonb_build_object('balancePence', balance, 'entryFeePence', r.entry_fee_pence));
  END IF;

  INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at, account)
    VALUES (r.id, a.id, r.entry_fee_pence, now, coalesce(c.provider_athlete_id, racing.account_of(a.id)))
    RETURNING id INTO new_entry;
  INSERT INTO racing.journal (kind, idempotency_key, race_id, description, occurred_at)
    VALUES ('entry_fee', format('entry/%s', new_entry), r.id,
      format('Entry fee: %s %s, %s', r.duration, r.type, r.category), now)
    RETURNING id INTO new_journal;
  UPDATE racing.wallet AS w SET balance_pence = w.balance_pence - r.entry_fee_pence
    WHERE w.athlete_id = a.id
    RETURNING w.balance_pence INTO balance;
  INSERT INTO racing.posting (journal_id, account, athlete_id, race_id, entry_id, amount_pence, balance_pence)
    VALUES (new_journal, 'wallet', a.id, NULL, new_entry, -r.entry_fee_pence, balance),
      (new_journal, 'pool', NULL, r.id, new_entry, r.entry_fee_pence, NULL);
  UPDATE racing.race AS x SET entry_count = x.entry_count + 1 WHERE x.id = r.id;
  PERFORM racing.review_doubted(activities, now);
  IF c.provider_athlete_id IS NOT NULL THEN
    INSERT INTO racing.entered_account (provider_athlete_id, athlete_id) VALUES (c.provider_athlete_id, a.id)
    ON CONFLICT ON CONSTRAINT entered_account_pkey DO NOTHING;
  END IF;
  PERFORM strava.enter_race(a.id, r.starts_at, r.ends_at);
  PERFORM racing.ask_claims(a.id);
  PERFORM racing.ask_lacking_streams(a.id, r);
  RETURN new_entry;
END
$$;
COMMENT ON FUNCTION racing.enter_race(bigint, bigint) IS
$$Enters an athlete in a race and charges the entry fee.
Returns the entry's id.
Refuses: SD400 athlete-id, isolation, race-id, time-zone (racing.time_zone is unknown); SD402 funds; SD403 category,
    not-connected, not-proved (DETAIL has retry while the provider is being queried), own-race (the athlete has
    moderated an activity in the race), profile (date of birth or gender is unknown), spectator; SD404 athlete, race;
    SD409 already-entered, cutoff (DETAIL has closedAt), erased, status.
Example: SELECT racing.enter_race(athlete_id => 1, race_id => 1)$$;

SELECT settled.declare_callers('racing', contract => '{enter_race}');
