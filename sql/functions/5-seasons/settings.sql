SELECT settled.declare_setting('seasons.time_zone', 'zone', 'America/New_York', NULL, NULL,
  'Calendar by which an instant belongs to a season.');
SELECT settled.declare_setting('seasons.view_retention', 'span', '90 days', 604800, 315360000,
  'How long the single views of team talks are kept.');
