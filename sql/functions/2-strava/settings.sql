SELECT settled.declare_setting(s.key, s.kind, s.default_value, s.low, s.high, s.meaning) FROM (VALUES
  ('strava.limit_15min', 'whole', '200', 1, 1000000000,
    'Calls that the provider allows per 15 minutes, unless its responses specify a limit.'),
  ('strava.limit_day', 'whole', '2000', 1, 1000000000,
    'Calls that the provider allows per UTC day, unless its responses specify a limit.'),
  ('strava.import', 'switch', 'off', NULL, NULL,
    'Whether athletes'' activities are fetched before their races are settled.'),
  ('strava.read_limit_15min', 'whole', '100', 1, 1000000000,
    'Reads that the provider allows per 15 minutes, unless its responses specify a limit.'),
  ('strava.read_limit_day', 'whole', '1000', 1, 1000000000,
    'Reads that the provider allows per UTC day, unless its responses specify a limit.'))
  AS s (key, kind, default_value, low, high, meaning);
