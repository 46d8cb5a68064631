import Postgres

/// The objects of the schema, by the catalogues.
enum Catalogue {
  /// Ours are all schemas that the system did not bring along.
  static let schemas = """
    (SELECT oid FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)')
    """

  /// `schema.relation` of all tables, partitions and views, and whether rows can be written to it.
  static func relations(_ session: Connection) async throws -> [(name: String, isTable: Bool)] {
    try await session.query(
      Statement(
        raw: """
          SELECT c.oid::regclass::text, c.relkind IN ('r', 'p') FROM pg_class c
          WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace IN \(schemas)
          """)
    ).decode(String.self, Bool.self).map { (name: $0.0, isTable: $0.1) }
  }

  /// Calls, with null for each argument, of all functions that a statement can call; each with its plain name.
  ///
  /// A null constant would let the planner drop the call of a strict function, privilege and all: hence the SELECTs.
  static func calls(_ session: Connection) async throws -> [(name: String, call: String)] {
    try await session.query(
      Statement(
        raw: """
          SELECT n.nspname || '.' || p.proname, format('SELECT %I.%I(%s)', n.nspname, p.proname,
            (SELECT string_agg(format('(SELECT NULL::%s)', CASE t WHEN 'anyelement'::regtype THEN 'text' ELSE t::regtype::text END), ', '
              ORDER BY place) FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, place)))
          FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
          WHERE n.oid IN \(schemas) AND p.prorettype <> 'trigger'::regtype
          """)
    ).decode(String.self, String.self).map { (name: $0.0, call: $0.1) }
  }
}
