SELECT settled.declare_setting('seasons.time_zone', 'zone', 'America/New_York', NULL, NULL,
  'Time zone that decides which season an instant belongs to.');
SELECT settled.declare_setting('seasons.own_earnings_a_day', 'whole', '5', 0, 100000,
  'How often a runner may earn points in a day without a coach, for each activity type.');
SELECT settled.declare_setting('seasons.view_retention', 'span', '90 days', 604800, 315360000,
  'How long individual views of team talks are kept.');
