SELECT settled.declare_setting('seasons.time_zone', 'zone', 'America/New_York', NULL, NULL,
  'The time zone that determines which season an instant belongs to.');
SELECT settled.declare_setting('seasons.own_earnings_a_day', 'whole', '5', 0, 100000,
  'How many times per day a runner can earn points without a coach, per activity type.');
SELECT settled.declare_setting('seasons.view_retention', 'span', '90 days', 604800, 315360000,
  'How long individual views of team talks are kept.');
