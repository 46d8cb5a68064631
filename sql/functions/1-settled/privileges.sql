-- The rights in settled: see settled.give_privileges.
SELECT settled.give_privileges('settled',
  contract => '{clock, events}',
  daemon => '{
    clock, may_claim, is_stopped, events, emit, number_events, iso, fail, check_writer, parse_span, span_forms,
    resolve_local, gap_end, day_start, local_date, zone_offsets, knows_zone, check_zone, row_holder,
    promote_runs, leave_run, setting, setting_span, set, expect_rows, plant_occurrences, prune_occurrences,
    close_events, prune_events, plant_partition, prune_partition, take_calls, note_calls,
    reserve_share, has_reserve_share, rights_in, changed_rights}',
  schedule => '{begin_occurrence, end_occurrence}',
  fixed => '{set, set_clock}',
  unfixed => '{clock}',
  reads => '{installation, setting, retention, time_zone, migration, function_script, event_closing, granted_right}',
  adds => '{audit}',
  changes => '{
    job, request, failure, problem, node, restoration, clock_baseline, clock_hold, clock_acceptance, event, event_pending,
    event_counter, schedule, schedule_period, run, occurrence, occurrence_history, zone_future, lease, call_window}',
  shows => '{
    installation, setting, retention, time_zone, migration, function_script, audit, job, request, failure, problem,
    node, restoration, clock_baseline, clock_hold, clock_acceptance, event, event_pending, event_counter, event_closing,
    schedule, schedule_period, run, occurrence, occurrence_history, zone_future, lease, call_window, granted_right}');
