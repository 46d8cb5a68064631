-- Changes that make work due in racing notify the daemons.
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF status, starts_at, ends_at, due_at, next_check_at, correction_due_at
  ON racing.race FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF status, imported_at
  ON racing.activity FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON racing.review FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
CREATE OR REPLACE TRIGGER notify_nodes AFTER INSERT
  ON racing.race_order FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();

-- Grants rights on the tables in racing, and on the functions to their declared callers.
SELECT settled.give_privileges('racing',
  reads => '{flag, decision, transaction_end, journal_digest, journal_double, qualifying_activity, claim}',
  adds => '{journal, posting, settlement, payout, late_activity, chain_link}',
  changes => '{athlete, race, entry, activity, activity_stream, review, wallet, chain_head, ledger_difference, race_order,
    entered_account, deletion, revocation, stream_pruning}',
  shows => '{
    athlete, race, entry, activity, activity_stream, qualifying_activity, flag, review, decision,
    late_activity, wallet, journal, posting, transaction_end, settlement, payout, chain_link, chain_head,
    journal_digest, journal_double, ledger_difference, race_order, entered_account, deletion, revocation,
    stream_pruning}',
  shown_columns => '{"claim": ["id", "athlete_id", "strava_id", "started_at", "claimed_at", "until_at", "reason",
    "rejected_at", "shown_at"]}');
