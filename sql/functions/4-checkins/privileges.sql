-- The rights in checkins: see settled.give_privileges.
SELECT settled.give_privileges('checkins',
  contract => '{onboard, update_profile, profile, submit, summary}',
  daemon => '{erase_profile}',
  fixed => '{erase_profile}',
  reads => '{profile, entry}',
  adds => '{day}',
  changes => '{streak, zone, tally}',
  shows => '{profile, entry, streak, zone, tally, day}');
