-- Where a database lives. Source: Engine.docc/Copies.md.

-- The cluster and the database of this session. A dump, a template copy and pg_upgrade change them; a failover, a
-- physical restore and a copied data directory do not.
-- In PL/pgSQL, which keeps its plans for a session, because each look at what is due asks it.
CREATE OR REPLACE FUNCTION settled.place()
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN (
    SELECT format('%s/%s', c.system_identifier, d.oid)
    FROM pg_control_system() AS c, pg_database AS d WHERE d.datname = current_database());
END
$$;

-- Whether the database is a copy, or was restored to another place, and no operator has answered which.
CREATE OR REPLACE FUNCTION settled.is_elsewhere()
RETURNS boolean
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM settled.installation AS i WHERE i.home <> settled.place());
END
$$;

-- Fails where the database is elsewhere: before anything that another system sees, or that cannot be taken back.
CREATE OR REPLACE FUNCTION settled.check_home()
RETURNS void
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF settled.is_elsewhere() THEN
    PERFORM settled.fail('SD503', 'home',
      'this database was copied or restored: an operator must first run settlectl restore accept or restore fork');
  END IF;
END
$$;

-- The database lives here: at the first acquaintance of a daemon, or because an operator accepts it.
CREATE OR REPLACE FUNCTION settled.set_home()
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$ UPDATE settled.installation AS i SET home = settled.place() WHERE i.home IS DISTINCT FROM settled.place() $$;

-- Nobody knows where the database lived: it counts as elsewhere until an operator answers.
CREATE OR REPLACE FUNCTION settled.doubt_home()
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$ UPDATE settled.installation AS i SET home = 'an unknown place' WHERE i.home IS NULL $$;

-- The database is a copy with an identity of its own. The next daemon writes where it lives. Rows of nodes that are
-- gone stay with the original.
CREATE OR REPLACE FUNCTION settled.fork()
RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  leases bigint;
BEGIN
  PERFORM settled.check_writer();
  UPDATE settled.installation SET id = gen_random_uuid(), home = NULL;
  UPDATE settled.restoration AS r SET accepted_at = clock_timestamp() WHERE r.accepted_at IS NULL;
  DELETE FROM settled.lease;
  GET DIAGNOSTICS leases = ROW_COUNT;
  DELETE FROM settled.node AS n WHERE n.last_seen_at < clock_timestamp() - interval '3 minutes';
  DELETE FROM settled.clock_hold AS h WHERE NOT EXISTS (SELECT FROM settled.node AS n WHERE n.node = h.node);
  DELETE FROM settled.clock_baseline AS b WHERE NOT EXISTS (SELECT FROM settled.node AS n WHERE n.node = b.node);
  RETURN jsonb_build_object('leases', leases);
END
$$;

SELECT settled.declare_callers('settled', daemon => '{place, is_elsewhere, set_home, doubt_home, fork}');
