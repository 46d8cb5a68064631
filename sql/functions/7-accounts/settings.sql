SELECT settled.declare_setting('accounts.public_url', 'url', 'http://127.0.0.1:8080', NULL, NULL,
  'The gateway''s base URL, used in one-time links.');
