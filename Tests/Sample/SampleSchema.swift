/// The schema of the sample: it would be a migration and a folder of sql/functions, were the module a real one.
package enum SampleSchema {
  package static let script = """
    -- The migration, which runs as the owner of all schemas.
    CREATE SCHEMA sample AUTHORIZATION settled_owner;
    SET ROLE settled_owner;
    CREATE TABLE sample.parcel (
      id bigint PRIMARY KEY,
      due_at timestamptz NOT NULL,
      sender text NOT NULL DEFAULT 'nobody',
      packed boolean NOT NULL DEFAULT false,
      receipt bigint
    );
    CREATE INDEX parcel_to_pack ON sample.parcel (due_at) WHERE NOT packed;
    CREATE INDEX parcel_to_post ON sample.parcel (due_at) WHERE packed AND receipt IS NULL;
    CREATE TABLE sample.packing (day date NOT NULL, parcel bigint NOT NULL) PARTITION BY RANGE (day);
    CREATE TABLE sample.packing_default PARTITION OF sample.packing DEFAULT;
    CREATE TABLE sample.stock (at timestamptz PRIMARY KEY, waiting bigint NOT NULL);

    -- Each run of a program's functions begins with an empty list of callers.
    SELECT set_config('settled.callers', '[]', true);
    -- settings.sql
    SELECT settled.declare_setting('sample.port', 'whole', '1', 1, 65535, 'The port of the post.');
    SELECT settled.declare_setting('sample.retention', 'retention', '30 days', 86400, 315360000, 'How long packings are kept.');
    -- retention.sql
    SELECT settled.declare_retention('sample', 'packing', 'day', 'sample.retention');
    -- sending.sql, which apps call
    CREATE FUNCTION sample.send_parcel(parcel bigint, sender text)
    RETURNS timestamptz
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
    DECLARE
      present timestamptz;
    BEGIN
      PERFORM settled.check_writer();
      PERFORM settled.check_present(parcel, 'parcel');
      PERFORM settled.check_text(sender, 'sender', max => 100, min => 1);
      present := settled.clock();
      INSERT INTO sample.parcel (id, due_at, sender) VALUES (parcel, present, send_parcel.sender)
        ON CONFLICT DO NOTHING;
      IF NOT FOUND THEN
        PERFORM settled.fail('SD409', 'parcel', 'this parcel was sent before');
      END IF;
      RETURN present;
    END
    $$;
    SELECT settled.declare_callers('sample', contract => '{send_parcel}');
    -- erase.sql
    CREATE FUNCTION sample.erase_sender(sender text)
    RETURNS jsonb
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$
    DECLARE
      parcels bigint;
    BEGIN
      PERFORM settled.check_writer();
      UPDATE sample.parcel AS p SET sender = settled.erased_name() WHERE p.sender = erase_sender.sender;
      GET DIAGNOSTICS parcels = ROW_COUNT;
      IF parcels = 0 THEN
        PERFORM settled.fail('SD404', 'sender', 'there is no such sender');
      END IF;
      RETURN jsonb_build_object('erased', jsonb_build_object('parcels', parcels), 'kept', '["ids"]'::jsonb);
    END
    $$;
    SELECT settled.declare_callers('sample', daemon => '{erase_sender}', fixed => '{erase_sender}');
    -- tables.sql
    CREATE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF packed
      ON sample.parcel FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
    SELECT settled.give_privileges('sample', adds => '{packing, stock}', changes => '{parcel}', shows => '{parcel, packing, stock}');
    RESET ROLE;
    """
}
