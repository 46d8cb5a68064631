-- The rights in racing: see settled.give_privileges.
SELECT settled.give_privileges('racing',
  contract => '{
    create_athlete, update_athlete, athlete, connect_strava, disconnect_strava, deposit, withdraw,
    complete_withdrawal, fail_withdrawal, reverse_deposit, wallet, transactions, create_race, enter_race,
    race, races, leaderboard, entry, entries, import_activity, activity, activities, flag_activity, flagged,
    review_activity}',
  daemon => '{
    entry_fee_pence, verify_ledger, insert_race, make_regular_race, calendar_periods, extend_chain, check_chain, create_race,
    race, leaderboard, entry, disconnect_strava, flagged, review_of, flagged_page, flagged_place,
    flagged_json, activity_json, decision_refusal, verified_late, review_activity, complete_withdrawal,
    fail_withdrawal, wanted_activities, keep_fetched, request_imports,
    check_again, erase_athlete}',
  fixed => '{verify_ledger, erase_athlete}',
  reads => '{flag, decision, transaction_end, journal_digest, qualifying_activity}',
  adds => '{journal, posting, settlement, payout, late_activity, chain_link}',
  changes => '{athlete, race, entry, activity, activity_stream, review, wallet, chain_head, ledger_difference}',
  shows => '{
    athlete, race, entry, activity, activity_stream, qualifying_activity, flag, review, decision,
    late_activity, wallet, journal, posting, transaction_end, settlement, payout, chain_link, chain_head,
    journal_digest, ledger_difference}');
