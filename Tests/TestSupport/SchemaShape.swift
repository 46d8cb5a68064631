package import Postgres
import Schema

/// What the catalogues say of our schemas: everything that a migration makes, and nothing that is a row.
package enum SchemaShape {
  /// One line for each object, with its definition, owner and privileges; sorted. Partitions that hold a range are left
  /// out, because their number goes by the clock; so are the positions of columns.
  package static func read(_ session: Connection) async throws -> [String] {
    var lines: [String] = []
    for part in parts { lines += try await session.query(part).decode(String.self) }
    return lines.sorted()
  }

  private static var parts: [Statement] {
    [relations, columns, constraints, indexes, triggers, functions, schemas, types, settings]
  }

  private static let ours = Statement(
    raw: "(SELECT oid FROM pg_namespace WHERE nspname = ANY('{\(Schema.schemas.joined(separator: ","))}'))")

  /// The relations that do not come and go with time.
  private static let lasting: Statement = """
    (SELECT c.oid FROM pg_class AS c LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
      WHERE c.relnamespace IN \(fragment: ours)
        AND (NOT c.relispartition OR pg_get_expr(c.relpartbound, c.oid) IS NOT DISTINCT FROM 'DEFAULT')
        AND NOT EXISTS (SELECT FROM pg_index AS x JOIN pg_class AS t ON t.oid = x.indrelid
          WHERE x.indexrelid = c.oid AND t.relispartition))
    """

  private static func rights(_ column: String, _ kind: String, _ owner: String) -> String {
    """
    coalesce((SELECT string_agg(concat_ws(' ', r.grantee::regrole, r.privilege_type), ',' ORDER BY r.grantee::regrole::text,
      r.privilege_type) FROM aclexplode(coalesce(\(column), acldefault('\(kind)', \(owner)))) AS r), '')
    """
  }

  private static let relations: Statement = """
    SELECT concat_ws(' | ', 'relation', c.oid::regclass, c.relkind, c.relowner::regrole, c.relpersistence, c.reloptions::text,
      pg_get_partkeydef(c.oid), CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END,
      CASE WHEN c.relkind NOT IN ('i', 'I') THEN \(raw: rights("c.relacl", "r", "c.relowner")) END)
    FROM pg_class AS c WHERE c.oid IN \(fragment: lasting)
    """

  private static let columns: Statement = """
    SELECT concat_ws(' | ', 'column', a.attrelid::regclass || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
      a.attnotnull, a.attidentity, a.attgenerated, pg_get_expr(d.adbin, d.adrelid),
      CASE WHEN a.attacl IS NOT NULL THEN \(raw: rights("a.attacl", "c", "c.relowner")) END)
    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
      LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid IN \(fragment: lasting)
      AND c.relkind NOT IN ('i', 'I')
    """

  private static let constraints: Statement = """
    SELECT concat_ws(' | ', 'constraint', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
    FROM pg_constraint AS c WHERE c.conrelid IN \(fragment: lasting)
    """

  private static let indexes: Statement = """
    SELECT concat_ws(' | ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid)
    FROM pg_index AS i WHERE i.indrelid IN \(fragment: lasting)
    """

  private static let triggers: Statement = """
    SELECT concat_ws(' | ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled)
    FROM pg_trigger AS t WHERE NOT t.tgisinternal AND t.tgrelid IN \(fragment: lasting)
    """

  private static let functions: Statement = """
    SELECT concat_ws(' | ', 'function', pg_get_functiondef(p.oid), p.proowner::regrole,
      \(raw: rights("p.proacl", "f", "p.proowner")))
    FROM pg_proc AS p WHERE p.pronamespace IN \(fragment: ours)
    """

  private static let schemas: Statement = """
    SELECT concat_ws(' | ', 'schema', n.nspname, n.nspowner::regrole, \(raw: rights("n.nspacl", "n", "n.nspowner")))
    FROM pg_namespace AS n WHERE n.oid IN \(fragment: ours)
    """

  private static let types: Statement = """
    SELECT concat_ws(' | ', 'type', t.oid::regtype, t.typtype, t.typowner::regrole, t.typnotnull,
      (SELECT string_agg(e.enumlabel, ',' ORDER BY e.enumsortorder) FROM pg_enum AS e WHERE e.enumtypid = t.oid))
    FROM pg_type AS t WHERE t.typnamespace IN \(fragment: ours) AND t.typrelid = 0 AND t.typelem = 0
    """

  /// The rows that belong to the program.
  private static let settings: Statement = """
    SELECT concat_ws(' | ', 'setting', key, kind, default_value, low, high, meaning) FROM settled.setting
    UNION ALL SELECT concat_ws(' | ', 'migration', number, name, checksum, breaking) FROM settled.migration
    UNION ALL SELECT concat_ws(' | ', 'functions', checksum, release) FROM settled.function_script
    """
}
