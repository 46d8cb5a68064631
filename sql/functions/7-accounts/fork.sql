-- Revokes all tokens and links of all accounts, which people have from the original. Passwords are kept.
CREATE OR REPLACE FUNCTION accounts.fork()
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  number bigint;
BEGIN
  PERFORM settled.check_writer();
  DELETE FROM accounts.one_time_token;
  UPDATE accounts.account AS a SET epoch = a.epoch + 1;
  GET DIAGNOSTICS number = ROW_COUNT;
  RETURN jsonb_build_object('accounts', number);
END
$$;

SELECT settled.declare_callers('accounts', daemon => '{fork}');
