-- The rights of the tables in accounts, and of the functions by their declared callers.
-- Nobody but the functions' owner reads these tables.
SELECT settled.give_privileges('accounts');
