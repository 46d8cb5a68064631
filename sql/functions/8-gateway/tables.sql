-- The rights of the tables in gateway, and of the functions by their declared callers.
-- Only the functions' owner reads these tables.
SELECT settled.give_privileges('gateway');
