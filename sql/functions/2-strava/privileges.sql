-- The rights in strava: see settled.give_privileges. Nobody but their functions' owner reads access tokens.
SELECT settled.give_privileges('strava',
  contract => '{access_token}',
  daemon => '{
    access_token, disconnect, keep_access, keep_tokens, forget_tokens, need_connection, refuse, note_revoked, note_failure,
    opens, note_answer, note_lost, close_lost, allowed, demand, imports, request_imports, importer_name, wanted_activities,
    keep_activity, note_listing, streams_of, keep_found, end_found, refuse_token, note_read_failure}',
  reads => '{importer}',
  changes => '{connection, secret, sealing_key, lost_reply, call_error, provider, race_period, import_request,
    found_activity}',
  shows => '{lost_reply, call_error, provider, race_period, import_request}',
  shown_columns => '{"connection": ["athlete_id", "status", "missing_scopes", "changed_at", "provider_athlete_id", "reason",
    "expires_at", "next_call_at", "refreshed_at"]}');
