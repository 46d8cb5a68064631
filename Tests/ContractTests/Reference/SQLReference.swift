import Postgres

/// What apps call and `settled_reader` reads in one schema, with the comments of the database.
struct SQLReference {
  struct Function {
    /// With its schema: `racing.race`.
    let name: String
    let argumentNames: [String]
    /// As the catalogue writes them, with types and defaults.
    let arguments: String
    let result: String
    let comment: FunctionComment
  }

  struct Column {
    let name: String
    let type: String
    let comment: String
  }

  struct Relation {
    let name: String
    let isView: Bool
    let comment: String
    let columns: [Column]
  }

  let functions: [Function]
  let relations: [Relation]

  init(_ schema: String, _ session: Connection) async throws {
    functions = try await session.query(
      """
      SELECT format('%s.%s', n.nspname, p.proname), coalesce(p.proargnames[:p.pronargs], '{}')::text[],
        pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), coalesce(obj_description(p.oid, 'pg_proc'), '')
      FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE n.nspname = \(schema) AND has_function_privilege('settled_app', p.oid, 'EXECUTE')
      ORDER BY p.proname COLLATE "C", p.oid
      """
    ).decode(String.self, [String].self, String.self, String.self, String.self).map {
      Function(name: $0, argumentNames: $1, arguments: $2, result: $3, comment: FunctionComment($4))
    }
    let columns = try await session.query(
      """
      SELECT format('%s.%s', n.nspname, c.relname), c.relkind = 'v', coalesce(obj_description(c.oid, 'pg_class'), ''),
        a.attname::text, format_type(a.atttypid, a.atttypmod), coalesce(col_description(c.oid, a.attnum), '')
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE n.nspname = \(schema) AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition
        AND has_column_privilege('settled_reader', c.oid, a.attnum, 'SELECT')
      ORDER BY c.relname COLLATE "C", a.attnum
      """
    ).decode(String.self, Bool.self, String.self, String.self, String.self, String.self)
    relations = columns.reduce(into: []) { relations, row in
      let column = Column(name: row.3, type: row.4, comment: row.5)
      if let last = relations.last, last.name == row.0 {
        relations[relations.count - 1] = Relation(
          name: row.0, isView: row.1, comment: row.2, columns: last.columns + [column])
      } else {
        relations.append(Relation(name: row.0, isView: row.1, comment: row.2, columns: [column]))
      }
    }
  }
}
