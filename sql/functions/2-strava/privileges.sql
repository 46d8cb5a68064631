-- Who may do what in strava: see settled.give_privileges.
SELECT settled.give_privileges('strava',
  daemon => '{missing_scopes}',
  changes => '{connection}',
  shown_columns => '{"connection": ["athlete_id", "status", "missing_scopes", "changed_at"]}');
