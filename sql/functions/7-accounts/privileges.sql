-- The rights in accounts: see settled.give_privileges. Nobody but the functions' owner reads its tables.
SELECT settled.give_privileges('accounts',
  daemon => '{create_account, reset, link, unlink, grant_role, revoke_role, disable, enable, show, list, erase_account, erase_link}',
  fixed => '{create_account, reset, link, unlink, grant_role, revoke_role, disable, enable, show, list, erase_account, erase_link}');
