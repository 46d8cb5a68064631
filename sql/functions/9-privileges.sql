-- Who may do what, and by which settings it is done. Applied last and in full each time: first everything is taken away,
-- then given by these lists.
-- Roles are made by `migrate` where it may; a role that is absent is skipped. What is not listed is the owner's alone.
DO $$
DECLARE
  -- The contract: what app back ends call. Names that do not exist yet are passed over.
  contract text[] := '{
    settled.clock, settled.events,
    racing.create_athlete, racing.update_athlete, racing.athlete, racing.connect_strava, racing.disconnect_strava,
    racing.deposit, racing.withdraw, racing.complete_withdrawal, racing.fail_withdrawal, racing.reverse_deposit,
    racing.wallet, racing.transactions,
    racing.create_race, racing.enter_race, racing.race, racing.races, racing.leaderboard, racing.entry, racing.entries,
    racing.import_activity, racing.activity, racing.activities,
    racing.flag_activity, racing.flagged, racing.review_activity,
    strava.access_token,
    checkins.onboard, checkins.update_profile, checkins.profile, checkins.submit, checkins.summary}';
  -- What the daemon calls besides its own statements: for its jobs, and for operators.
  daemon text[] := '{
    settled.clock, settled.may_claim, settled.events, settled.emit, settled.number_events, settled.iso, settled.fail, settled.check_writer,
    settled.parse_span, settled.span_forms, settled.resolve_local, settled.gap_end, settled.day_start, settled.local_date,
    settled.zone_offsets, settled.knows_zone, settled.check_zone,
    settled.row_holder, settled.promote_runs, settled.leave_run,
    settled.setting, settled.setting_span, settled.set, settled.expect_rows,
    strava.missing_scopes, racing.entry_fee_pence, racing.verify_ledger, racing.insert_race, racing.calendar_periods,
    racing.extend_chain, racing.check_chain, settled.plant_occurrences, settled.prune_occurrences, settled.close_events,
    settled.prune_events, checkins.plant_entries, checkins.prune_entries,
    racing.create_race, racing.race, racing.leaderboard, racing.entry, racing.disconnect_strava, racing.flagged,
    racing.review_of, racing.flagged_page, racing.flagged_place, racing.flagged_json, racing.activity_json, racing.decision_refusal, racing.verified_late,
    racing.review_activity, racing.complete_withdrawal, racing.fail_withdrawal}';
  -- What the role of operators' SQL schedules may call, beside what operators grant it; so nothing is taken from it.
  schedule text[] := '{settled.begin_occurrence, settled.end_occurrence}';
  -- Functions that callers reach whose settings are not ours: each runs by these settings, whatever the caller's are, and so
  -- does what it calls. The isolation is the caller's: a function that needs another one says so. The clock reads and writes
  -- no text, and is asked too often to pay for them.
  fixed text[] := contract || schedule || '{settled.set, settled.set_clock, racing.verify_ledger}';
  settings text := $settings$SET standard_conforming_strings = on SET extra_float_digits = 1
    SET intervalstyle = 'postgres' SET datestyle = 'ISO, MDY' SET timezone = 'UTC'$settings$;
  -- Tables that the daemon only reads, those that it only adds to, and those that it may change. A table that stands in
  -- none of these lists is closed to it: partitions, which it reaches through their tables, are.
  daemon_reads text[] := '{settled.installation, settled.setting, settled.time_zone, settled.migration, settled.function_script,
    settled.event_closing, racing.flag, racing.decision, racing.transaction_end, racing.journal_digest,
    racing.qualifying_activity, checkins.profile, checkins.entry}';
  daemon_adds text[] := '{settled.audit, racing.journal, racing.posting, racing.settlement, racing.payout,
    racing.late_activity, racing.chain_link, checkins.day}';
  daemon_changes text[] := '{settled.job, settled.request, settled.failure, settled.problem, settled.node,
    settled.clock_baseline, settled.clock_hold, settled.clock_acceptance,
    settled.event, settled.event_pending, settled.event_counter,
    settled.schedule, settled.schedule_period, settled.run, settled.occurrence, settled.occurrence_history, settled.zone_future,
    strava.connection,
    racing.athlete, racing.race, racing.entry, racing.activity, racing.activity_stream, racing.review, racing.wallet,
    racing.chain_head, racing.ledger_difference,
    checkins.streak, checkins.zone, checkins.tally}';
  -- Tables that the reader sees, and those of which it sees some columns only, because the others are secrets.
  reader_reads text[] := '{settled.installation, settled.setting, settled.time_zone, settled.migration, settled.function_script,
    settled.audit, settled.job, settled.request, settled.failure, settled.problem, settled.node,
    settled.clock_baseline, settled.clock_hold, settled.clock_acceptance,
    settled.event, settled.event_pending, settled.event_counter, settled.event_closing,
    settled.schedule, settled.schedule_period, settled.run, settled.occurrence, settled.occurrence_history, settled.zone_future,
    racing.athlete, racing.race, racing.entry, racing.activity, racing.activity_stream, racing.qualifying_activity,
    racing.flag, racing.review, racing.decision, racing.late_activity,
    racing.wallet, racing.journal, racing.posting, racing.transaction_end, racing.settlement, racing.payout,
    racing.chain_link, racing.chain_head, racing.journal_digest, racing.ledger_difference,
    checkins.profile, checkins.entry, checkins.streak, checkins.zone, checkins.tally, checkins.day}';
  reader_columns jsonb := '{"strava.connection": ["athlete_id", "status", "missing_scopes", "changed_at"]}';
  app_exists boolean := EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'settled_app');
  daemon_exists boolean := EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'settled_daemon');
  reader_exists boolean := EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'settled_reader');
  schedule_exists boolean := EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'settled_schedule');
  role_names text := pg_catalog.concat_ws(', ', 'PUBLIC',
    CASE WHEN app_exists THEN 'settled_app' END,
    CASE WHEN daemon_exists THEN 'settled_daemon' END,
    CASE WHEN reader_exists THEN 'settled_reader' END);
  daemon_rights text;
  item record;
BEGIN
  FOR item IN
    SELECT n.nspname::text AS schema FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname IN ('settled', 'racing', 'strava', 'seasons', 'achievements', 'checkins')
  LOOP
    EXECUTE pg_catalog.format('REVOKE ALL ON SCHEMA %I FROM %s', item.schema, role_names);
    EXECUTE pg_catalog.format('REVOKE ALL ON ALL ROUTINES IN SCHEMA %I FROM %s', item.schema, role_names);
    EXECUTE pg_catalog.format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %s', item.schema, role_names);
    EXECUTE pg_catalog.format('REVOKE ALL ON ALL SEQUENCES IN SCHEMA %I FROM %s', item.schema, role_names);
    IF role_names <> 'PUBLIC' THEN
      EXECUTE pg_catalog.format('GRANT USAGE ON SCHEMA %I TO %s', item.schema, pg_catalog.substr(role_names, 9));
    END IF;
  END LOOP;

  IF schedule_exists THEN
    GRANT USAGE ON SCHEMA settled TO settled_schedule;
  END IF;

  FOR item IN
    SELECT p.oid::pg_catalog.regprocedure::text AS signature, n.nspname || '.' || p.proname AS name
    FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
    WHERE n.nspname || '.' || p.proname = ANY (fixed || daemon)
  LOOP
    IF item.name = ANY (fixed) AND item.name <> 'settled.clock' THEN
      EXECUTE pg_catalog.format('ALTER FUNCTION %s %s', item.signature, settings);
    END IF;
    IF app_exists AND item.name = ANY (contract) THEN
      EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO settled_app', item.signature);
    END IF;
    IF daemon_exists AND item.name = ANY (daemon) THEN
      EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO settled_daemon', item.signature);
    END IF;
    IF schedule_exists AND item.name = ANY (schedule) THEN
      EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO settled_schedule', item.signature);
    END IF;
  END LOOP;

  FOR item IN
    SELECT n.nspname::text AS schema, c.relname::text AS relation, n.nspname || '.' || c.relname AS name
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('settled', 'racing', 'strava', 'seasons', 'achievements', 'checkins')
      AND c.relkind IN ('r', 'p', 'v', 'm')
  LOOP
    daemon_rights := CASE WHEN item.name = ANY (daemon_reads) THEN 'SELECT'
      WHEN item.name = ANY (daemon_adds) THEN 'SELECT, INSERT'
      WHEN item.name = ANY (daemon_changes) THEN 'SELECT, INSERT, UPDATE, DELETE' END;
    IF daemon_exists AND daemon_rights IS NOT NULL THEN
      EXECUTE pg_catalog.format('GRANT %s ON TABLE %I.%I TO settled_daemon', daemon_rights, item.schema, item.relation);
    END IF;
    IF reader_exists AND reader_columns ? item.name THEN
      EXECUTE pg_catalog.format('GRANT SELECT (%s) ON TABLE %I.%I TO settled_reader',
        (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(c), ', ')
          FROM pg_catalog.jsonb_array_elements_text(reader_columns -> item.name) AS c),
        item.schema, item.relation);
    ELSIF reader_exists AND item.name = ANY (reader_reads) THEN
      EXECUTE pg_catalog.format('GRANT SELECT ON TABLE %I.%I TO settled_reader', item.schema, item.relation);
    END IF;
  END LOOP;
END
$$;
