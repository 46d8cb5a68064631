SELECT settled.declare_setting(s.key, s.kind, s.default_value, s.low, s.high, s.meaning) FROM (VALUES
  ('racing.time_zone', 'zone', 'Europe/London', NULL, NULL, 'Time zone of the race calendar and of ages at the start of a race.'),
  ('racing.calendar', 'switch', 'on', NULL, NULL, 'Whether the daemon creates the regular races; existing ones are kept.'),
  ('racing.results_grace', 'span', '1 hour', 0, 2592000,
    'Time after the end of a race during which imports still count.'),
  ('racing.entry_cutoff', 'span', '3 hours', 0, 2592000, 'Entries close this long before the end of a race.'),
  ('racing.review_hold', 'span', '72 hours', 0, 2592000, 'How long a held activity can delay a settlement.'),
  ('racing.provider_hold', 'span', '2 hours', 0, 2592000, 'How long a claim can delay a settlement.'),
  ('racing.prize_rest', 'span', '72 hours', 0, 2592000, 'How long a prize cannot be withdrawn after it is booked.'),
  ('racing.review_window', 'span', '30 days', 0, 315360000,
    'Time after a settlement during which activities may be flagged and disqualified.'),
  ('racing.flag_threshold', 'whole', '3', 1, 100,
    'Number of counted open flags that puts an activity under review; each approval doubles it.'),
  ('racing.proof', 'switch', 'on', NULL, NULL, 'Whether only athletes with an account at the provider may enter races, and only their flags count.'),
  ('racing.imports_a_day', 'whole', '50', 1, 1000000, 'Number of activities that an athlete may import through the gateway in a day.'),
  ('racing.codes_a_day', 'whole', '10', 1, 1000000, 'Number of authorization codes that an athlete may send through the gateway in a day.'),
  ('racing.import_bytes_a_day', 'whole', '100000000', 1000000, 1000000000000,
    'Number of bytes that an athlete may import through the gateway in a day.'),
  ('racing.review_reminders', 'spans', '24 hours,48 hours', 0, 2592000,
    'How long a review waits before each escalation.'),
  ('racing.platform_fee_percent', 'percent', '1', 0, 50, 'Share of the fees that the platform keeps.'),
  ('racing.prize_shares', 'shares', '75,20,5', NULL, NULL, 'Shares of the first three places, which sum to 100.'),
  ('racing.max_speed_mm_per_s', 'whole', '12000', 1, 100000000, 'Top speed in mm/s beyond which an activity is reviewed before it counts.'),
  ('racing.max_distance_m', 'whole', '300000', 1, 100000000, 'Distance in metres beyond which an activity is reviewed before it counts.'),
  ('racing.min_1km', 'span', '150 seconds', 0, 2592000, 'Time for a kilometre below which an activity is reviewed before it counts.'),
  ('racing.min_5km', 'span', '900 seconds', 0, 2592000, 'Time for 5 km below which an activity is reviewed before it counts.'),
  ('racing.show_activities', 'switch', 'on', NULL, NULL, 'Whether athletes see other athletes'' activities; if off, they see only scores and names.'),
  ('racing.show_access_token', 'switch', 'off', NULL, NULL,
    'Whether athletes see their own access token of the provider while racing.proof is on.'))
  AS s (key, kind, default_value, low, high, meaning);

-- Nobody is known at a provider in a database with a simulated clock, until somebody sets the switch.
UPDATE settled.setting AS s SET value = 'off'
  WHERE s.key = 'racing.proof' AND s.value IS NULL AND EXISTS (SELECT FROM settled.installation AS i WHERE i.simulated);
