-- Gives what a module's tables.sql lists of its tables, and its functions to the callers that their files declare,
-- after all of it was taken from everybody: from whoever has anything there but its owner. Who is to read more is made
-- a member of settled_reader.
--
-- reads, adds, changes: what the daemon does to tables. shows: tables that the reader sees, shown_columns: those of
-- which it sees some columns. A function without declared callers, and a table in no list, is closed to all but its
-- owner. Partitions are reached by their tables. A role that is absent is passed over.
DROP FUNCTION IF EXISTS settled.give_privileges(
  text, text[], text[], text[], text[], text[], text[], text[], text[], text[], jsonb);
DROP FUNCTION IF EXISTS settled.give_privileges(
  text, text[], text[], text[], text[], text[], text[], text[], text[], text[], jsonb, text[]);
CREATE OR REPLACE FUNCTION settled.give_privileges(
  schema text, reads text[] DEFAULT '{}', adds text[] DEFAULT '{}', changes text[] DEFAULT '{}', shows text[] DEFAULT '{}',
  shown_columns jsonb DEFAULT '{}')
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
-- The words are ours, and names are quoted.
-- @plpgsql_check_options: security_warnings = off
DECLARE
  settings text := $settings$SET standard_conforming_strings = on SET extra_float_digits = 1
    SET intervalstyle = 'postgres' SET datestyle = 'ISO, MDY' SET timezone = 'UTC' SET jit = off$settings$;
  roles text[] := ARRAY(SELECT rolname::text FROM pg_roles
    WHERE rolname IN ('settled_app', 'settled_daemon', 'settled_reader', 'settled_schedule', 'settled_gateway'));
  users text := (SELECT string_agg(r, ', ') FROM unnest(roles) AS r WHERE r NOT IN ('settled_schedule', 'settled_gateway'));
  -- The roles that have a right to anything in the schema. Operators let settled_schedule call functions.
  holders text := (
    SELECT string_agg(DISTINCT quote_ident(r.rolname), ', ') FROM (
      SELECT n.nspowner AS owner, n.nspacl AS acl FROM pg_namespace AS n WHERE n.oid = schema::regnamespace
      UNION ALL SELECT c.relowner, c.relacl FROM pg_class AS c WHERE c.relnamespace = schema::regnamespace
      UNION ALL SELECT c.relowner, a.attacl FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        WHERE c.relnamespace = schema::regnamespace
      UNION ALL SELECT p.proowner, p.proacl FROM pg_proc AS p WHERE p.pronamespace = schema::regnamespace
    ) AS o, aclexplode(o.acl) AS a JOIN pg_roles AS r ON r.oid = a.grantee
    WHERE a.grantee <> o.owner AND r.rolname <> 'settled_schedule');
  contract text[] := settled.declared_callers(schema, 'contract');
  daemon text[] := settled.declared_callers(schema, 'daemon');
  gateway text[] := settled.declared_callers(schema, 'gateway');
  schedule text[] := settled.declared_callers(schema, 'schedule');
  fixed text[] := settled.declared_callers(schema, 'fixed');
  unfixed text[] := settled.declared_callers(schema, 'unfixed');
  kind text;
  item record;
BEGIN
  SELECT string_agg(listed.name, ', ') INTO kind
    FROM (SELECT unnest(contract || daemon || gateway || schedule || fixed || unfixed)
      EXCEPT SELECT p.proname::text FROM pg_proc AS p WHERE p.pronamespace = schema::regnamespace
      UNION ALL (SELECT unnest(reads || adds || changes || shows)
        UNION SELECT jsonb_object_keys(shown_columns)
        EXCEPT SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = schema::regnamespace)) AS listed (name);
  IF kind IS NOT NULL THEN
    RAISE EXCEPTION 'the rights in % refer to objects that do not exist: %', schema, kind;
  END IF;

  FOREACH kind IN ARRAY '{SCHEMA,ALL ROUTINES IN SCHEMA,ALL TABLES IN SCHEMA,ALL SEQUENCES IN SCHEMA}'::text[] LOOP
    EXECUTE format('REVOKE ALL ON %s %I FROM %s CASCADE', kind, schema, concat_ws(', ', 'PUBLIC', holders));
  END LOOP;
  IF users IS NOT NULL THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %s', schema, users);
  END IF;
  IF cardinality(schedule) > 0 AND 'settled_schedule' = ANY (roles) THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO settled_schedule', schema);
  END IF;
  IF cardinality(gateway) > 0 AND 'settled_gateway' = ANY (roles) THEN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO settled_gateway', schema);
  END IF;

  FOR item IN
    SELECT p.oid::regprocedure::text AS signature, p.proname::text AS name
    FROM pg_proc AS p WHERE p.pronamespace = schema::regnamespace
  LOOP
    IF item.name = ANY (contract || gateway || schedule || fixed) AND item.name <> ALL (unfixed) THEN
      EXECUTE format('ALTER FUNCTION %s %s', item.signature, settings);
    END IF;
    FOR kind IN
      SELECT given.role FROM (VALUES ('settled_app', contract), ('settled_daemon', daemon), ('settled_schedule', schedule),
        ('settled_gateway', gateway)) AS given (role, names) WHERE item.name = ANY (given.names) AND given.role = ANY (roles)
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', item.signature, kind);
    END LOOP;
  END LOOP;

  FOR item IN
    SELECT given.role, given.rights, t.name
    FROM (VALUES ('settled_daemon', 'SELECT', reads), ('settled_daemon', 'SELECT, INSERT', adds),
        ('settled_daemon', 'SELECT, INSERT, UPDATE, DELETE', changes), ('settled_reader', 'SELECT', shows))
      AS given (role, rights, names), unnest(given.names) AS t (name)
    UNION ALL
    SELECT 'settled_reader', format('SELECT (%s)', (SELECT string_agg(quote_ident(n), ', ')
      FROM jsonb_array_elements_text(c.value) AS n)), c.key
    FROM jsonb_each(shown_columns) AS c
  LOOP
    IF item.role = ANY (roles) THEN
      EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', item.rights, schema, item.name, item.role);
    END IF;
  END LOOP;

  -- What operators granted is theirs to revoke.
  DELETE FROM settled.granted_right AS g WHERE g.namespace = schema;
  INSERT INTO settled.granted_right (namespace, object, role, privilege)
    SELECT schema, i.object, i.role, i.privilege FROM settled.rights_in(schema) AS i
    WHERE i.role <> 'settled_schedule' OR i.object = 'SCHEMA ' || quote_ident(schema) AND cardinality(schedule) > 0
      OR EXISTS (SELECT FROM pg_proc AS p WHERE p.pronamespace = schema::regnamespace AND p.proname = ANY (schedule)
        AND i.object = 'ROUTINE ' || p.oid::regprocedure);
END
$$;
