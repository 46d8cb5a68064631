-- A file of functions ends with the callers of its functions; settled.give_privileges gives them the rights. What is
-- declared lasts until this script's transaction ends: a function that is not declared again is closed.
SELECT set_config('settled.callers', '[]', true);

-- contract: functions that apps call. daemon: those that the daemon calls. gateway: those of settled_gateway, which
-- gets nothing else. schedule: those of operators' SQL schedules, of whose role nothing is taken, because operators
-- grant to it. fixed: further ones that callers reach whose settings are not the product's. Functions in contract,
-- gateway, schedule or fixed run by fixed settings, and so does what they call; the isolation is the caller's.
-- Compiling a statement to machine code costs more here than it saves. unfixed: is asked too often to pay for them, and
-- reads and writes no text.
CREATE OR REPLACE FUNCTION settled.declare_callers(
  schema text, contract text[] DEFAULT '{}', daemon text[] DEFAULT '{}', gateway text[] DEFAULT '{}',
  schedule text[] DEFAULT '{}', fixed text[] DEFAULT '{}', unfixed text[] DEFAULT '{}')
RETURNS void
LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT set_config('settled.callers', (current_setting('settled.callers')::jsonb || jsonb_build_object('schema', schema,
    'contract', contract, 'daemon', daemon, 'gateway', gateway, 'schedule', schedule, 'fixed', fixed, 'unfixed', unfixed))::text,
    true);
$$;

-- The functions of a schema that are declared for one kind of caller.
CREATE OR REPLACE FUNCTION settled.declared_callers(schema text, kind text)
RETURNS text[]
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(name), '{}')
  FROM jsonb_array_elements(coalesce(nullif(current_setting('settled.callers', true), ''), '[]')::jsonb) AS d,
    jsonb_array_elements_text(d -> declared_callers.kind) AS name
  WHERE d ->> 'schema' = declared_callers.schema;
$$;
