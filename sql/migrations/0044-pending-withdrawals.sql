-- Wallets with pending withdrawals are found without looking at all of them: metrics count them. Writers of wallets
-- wait while the index is made, a second for some millions of wallets.
CREATE INDEX wallet_pending ON racing.wallet (athlete_id) INCLUDE (pending_pence) WHERE pending_pence > 0;
