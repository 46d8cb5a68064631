/// The schema of the sample: it would be a migration and a folder of sql/functions, were the module a real one.
package enum SampleSchema {
  package static let script = """
    -- The migration, which runs as the owner of all schemas.
    CREATE SCHEMA sample AUTHORIZATION settled_owner;
    SET ROLE settled_owner;
    CREATE TABLE sample.parcel (
      id bigint PRIMARY KEY,
      due_at timestamptz NOT NULL,
      packed boolean NOT NULL DEFAULT false,
      receipt bigint
    );
    CREATE INDEX parcel_to_pack ON sample.parcel (due_at) WHERE NOT packed;
    CREATE INDEX parcel_to_post ON sample.parcel (due_at) WHERE packed AND receipt IS NULL;
    CREATE TABLE sample.packing (day date NOT NULL, parcel bigint NOT NULL) PARTITION BY RANGE (day);
    CREATE TABLE sample.packing_default PARTITION OF sample.packing DEFAULT;

    -- settings.sql
    SELECT settled.declare_setting('sample.port', 'whole', '1', 1, 65535, 'The port of the post.');
    SELECT settled.declare_setting('sample.retention', 'retention', '30 days', 86400, 315360000, 'How long packings are kept.');
    -- retention.sql
    SELECT settled.declare_retention('sample', 'packing', 'day', 'sample.retention');
    -- tables.sql
    CREATE TRIGGER notify_nodes AFTER INSERT OR UPDATE OF packed
      ON sample.parcel FOR EACH STATEMENT EXECUTE FUNCTION settled.notify_nodes();
    SELECT settled.give_privileges('sample', adds => '{packing}', changes => '{parcel}', shows => '{parcel, packing}');
    RESET ROLE;
    """
}
