SELECT settled.declare_setting('seasons.time_zone', 'zone', 'America/New_York', NULL, NULL,
  'Calendar by which an instant belongs to a season.');
