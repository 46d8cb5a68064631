SELECT settled.declare_setting('achievements.report_retention', 'retention', '30 days', 2592000, 315360000,
  'How long the idempotency keys of reported metrics are kept.');
