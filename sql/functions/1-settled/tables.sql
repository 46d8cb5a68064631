-- A change that may make something due notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON settled.event_pending FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER DELETE OR UPDATE OF next_attempt_at, quarantined
  ON settled.failure FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF paused, next_tick_at
  ON settled.schedule FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF is_first
  ON settled.run FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- The rights of the tables in settled, and of the functions by their declared callers.
SELECT settled.give_privileges('settled',
  reads => '{installation, setting, retention, time_zone, migration, function_script, event_closing, granted_right}',
  adds => '{audit}',
  changes => '{
    job, request, failure, problem, node, restoration, clock_baseline, clock_hold, clock_acceptance, event, event_pending,
    event_counter, event_epoch, schedule, schedule_period, run, occurrence, occurrence_history, zone_future, lease, call_window}',
  shows => '{
    installation, setting, retention, time_zone, migration, function_script, audit, job, failure, problem,
    node, restoration, clock_baseline, clock_hold, clock_acceptance, event, event_pending, event_counter, event_epoch, event_closing,
    schedule, schedule_period, run, occurrence, occurrence_history, zone_future, lease, call_window, granted_right}',
  -- An answer may have what its command alone shows, as an address.
  shown_columns => '{"request": ["uid", "request_id", "request", "at"]}');
