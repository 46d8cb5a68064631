-- Every refusal of the contract goes through here: the class of the error is SD4xx and
-- DETAIL is JSON with the rule's name.
CREATE OR REPLACE FUNCTION settled.fail(sql_state text, rule text, message text, more jsonb DEFAULT '{}')
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RAISE EXCEPTION USING
    ERRCODE = sql_state,
    MESSAGE = message,
    DETAIL = (jsonb_build_object('rule', rule) || coalesce(more, '{}'))::text;
END
$$;

SELECT settled.declare_callers('settled', daemon => '{fail}');
