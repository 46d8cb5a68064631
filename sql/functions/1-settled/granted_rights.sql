-- The rights in a schema that others than the owners of its objects have; one that may be
-- handed on counts as another one, too.
CREATE OR REPLACE FUNCTION settled.rights_in(namespace text)
RETURNS TABLE (object text, role text, privilege text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT DISTINCT o.object, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee)::text END,
    a.privilege_type || o.columns || h.handing_on
  FROM (
    SELECT 'SCHEMA ' || quote_ident(n.nspname), n.nspowner, n.nspacl, '' FROM pg_namespace AS n
    WHERE n.nspname = rights_in.namespace
    UNION ALL
    SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.oid::regclass, c.relowner, c.relacl, ''
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = rights_in.namespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    UNION ALL
    SELECT 'TABLE ' || c.oid::regclass, c.relowner, t.attacl, format(' (%I)', t.attname)
    FROM pg_attribute AS t JOIN pg_class AS c ON c.oid = t.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = rights_in.namespace AND NOT t.attisdropped
    UNION ALL
    SELECT 'ROUTINE ' || p.oid::regprocedure, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)), ''
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = rights_in.namespace
  ) AS o (object, owner, acl, columns), aclexplode(o.acl) AS a,
    LATERAL (SELECT '' UNION ALL SELECT ' WITH GRANT OPTION' WHERE a.is_grantable) AS h (handing_on)
  WHERE a.grantee <> o.owner
$$;

-- The rights that were given or taken since the last migration. Operators grant to
-- settled_schedule what their functions need.
CREATE OR REPLACE FUNCTION settled.changed_rights()
RETURNS TABLE (is_missing boolean, role text, object text, privilege text)
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT g.privilege IS NOT NULL, role, object, privilege
  FROM settled.granted_right AS g
  FULL JOIN (
    SELECT s.namespace, i.object, i.role, i.privilege
    FROM (SELECT DISTINCT namespace FROM settled.granted_right) AS s, settled.rights_in(s.namespace) AS i
  ) AS n USING (namespace, object, role, privilege)
  WHERE g.privilege IS NULL AND role <> 'settled_schedule' OR n.privilege IS NULL
$$;

SELECT settled.declare_callers('settled', daemon => '{rights_in, changed_rights}');
