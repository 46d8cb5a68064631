SELECT settled.declare_setting('checkins.entry_retention', 'retention', 'forever', 34560000, 3153600000,
  'How long check-in entries are kept.');
