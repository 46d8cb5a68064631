-- The facts that a gateway asks of its database before it serves: `settled-gateway check-config`.

-- The gateway's base URL in the database: one-time links of operators begin with it.
CREATE OR REPLACE FUNCTION gateway.public_url()
RETURNS jsonb
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN to_jsonb(settled.setting('accounts.public_url'));
END
$$;

SELECT settled.declare_callers('gateway', gateway => '{public_url}');
