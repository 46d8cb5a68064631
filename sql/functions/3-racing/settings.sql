SELECT settled.declare_setting(s.key, s.kind, s.default_value, s.low, s.high, s.meaning) FROM (VALUES
  ('racing.time_zone', 'zone', 'Europe/London', NULL, NULL, 'Time zone of the race calendar, and of ages at the start of a race.'),
  ('racing.calendar', 'switch', 'on', NULL, NULL, 'Whether the daemon creates the regular races; existing races are kept.'),
  ('racing.results_grace', 'span', '1 hour', 0, 2592000, 'Time after the end of a race during which imports still count.'),
  ('racing.entry_cutoff', 'span', '3 hours', 0, 2592000, 'Entries close this long before the end of a race.'),
  ('racing.review_hold', 'span', '72 hours', 0, 2592000, 'Maximum time that a held activity delays a settlement.'),
  ('racing.provider_hold', 'span', '2 hours', 0, 2592000, 'Maximum time that a claim delays a settlement.'),
  ('racing.prize_rest', 'span', '72 hours', 0, 2592000, 'Time after a prize is booked during which it cannot be withdrawn.'),
  ('racing.review_window', 'span', '30 days', 0, 315360000, 'Time after a settlement during which activities can be flagged and disqualified.'),
  ('racing.flag_threshold', 'whole', '3', 1, 100, 'Number of counted open flags at which an activity goes under review; each approval doubles it.'),
  ('racing.proof', 'switch', 'on', NULL, NULL, 'Whether only athletes with a provider account may enter races, and only their flags count.'),
  ('racing.imports_a_day', 'whole', '50', 1, 1000000, 'Maximum number of activities that an athlete may import through the gateway per day.'),
  ('racing.codes_a_day', 'whole', '10', 1, 1000000, 'Maximum number of authorization codes that an athlete may send through the gateway per day.'),
  ('racing.import_bytes_a_day', 'whole', '100000000', 1000000, 1000000000000,
    'Maximum number of bytes that an athlete may import through the gateway per day.'),
  ('racing.review_reminders', 'spans', '24 hours,48 hours', 0, 2592000, 'How long a review waits before each increase in urgency.'),
  ('racing.platform_fee_percent', 'percent', '1', 0, 50, 'Percentage of the fees that the platform keeps.'),
  ('racing.prize_shares', 'shares', '75,20,5', NULL, NULL, 'Prize shares of the first three places; they must sum to 100.'),
  ('racing.max_speed_mm_per_s', 'whole', '12000', 1, 100000000, 'Top speed in mm/s above which an activity is reviewed before it counts.'),
  ('racing.max_distance_m', 'whole', '300000', 1, 100000000, 'Distance in metres above which an activity is reviewed before it counts.'),
  ('racing.min_1km', 'span', '150 seconds', 0, 2592000, 'Time for 1 km below which an activity is reviewed before it counts.'),
  ('racing.min_5km', 'span', '900 seconds', 0, 2592000, 'Time for 5 km below which an activity is reviewed before it counts.'),
  ('racing.show_activities', 'switch', 'on', NULL, NULL, 'Whether athletes see other athletes'' activities; if off, they see only scores and names.'),
  ('racing.show_access_token', 'switch', 'off', NULL, NULL,
    'Whether athletes see their own provider access token while racing.proof is on.'))
  AS s (key, kind, default_value, low, high, meaning);

-- Nobody is known at a provider in a database with a simulated clock, until somebody sets the switch.
UPDATE settled.setting AS s SET value = 'off'
  WHERE s.key = 'racing.proof' AND s.value IS NULL AND EXISTS (SELECT FROM settled.installation AS i WHERE i.simulated);
