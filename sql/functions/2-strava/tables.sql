-- A change that makes something due in strava notifies the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_call_at
  ON strava.connection FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF key_id
  ON strava.secret FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF next_call_at
  ON strava.read_request FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF retired_at
  ON strava.sealing_key FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- The rights of the tables in strava, and of the functions by their declared callers.
-- Nobody but the functions' owner reads access tokens.
SELECT settled.give_privileges('strava',
  reads => '{reader, account_keeper, hint_taker, subscription, hint}',
  -- import_request and found_activity are empty: daemons of a former release look there.
  changes => '{connection, secret, sealing_key, lost_reply, call_error, provider, race_period, read_request,
    import_request, found_activity}',
  shows => '{lost_reply, call_error, provider, race_period, import_request, hint}',
  shown_columns => '{"read_request": ["id", "athlete_id", "kind", "activity_id", "class", "turn", "asked_at",
    "next_call_at", "until_at", "follows_switch", "since", "before", "page", "began_at"], "connection": ["athlete_id", "status", "missing_scopes", "changed_at", "provider_athlete_id", "reason",
    "expires_at", "next_call_at", "refreshed_at"],
    "subscription": ["callback", "asked_at", "subscription_id", "confirmed_at"]}');
