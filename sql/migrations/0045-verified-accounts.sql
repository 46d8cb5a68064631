-- When somebody proved that an account's address is theirs, by using a link that went to it. A link that an operator
-- hands over is as good.
ALTER TABLE accounts.account ADD COLUMN verified_at timestamptz;
COMMENT ON COLUMN accounts.account.verified_at IS 'When a one-time link of this account was used first: until then nobody knows whose address it is.';
-- Of what stands, an operator vouched for accounts with a role or an identity that no registration gives.
UPDATE accounts.account SET verified_at = clock_timestamp()
  WHERE password_hash IS NOT NULL
    AND (roles <> '{}' OR athlete_id IS NULL OR num_nonnulls(username, runner_id, reader_id, checkin_id) > 0);
