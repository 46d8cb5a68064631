import Postgres
import TestSupport
import Testing

@Suite("The page of a cluster") struct ClusterPageTests {
  /// Unique indexes of the tables of settled, partitions aside, each with its columns:
  /// `racing.entry`, `race_id athlete_id`.
  private static let uniqueKeys: Statement = """
    SELECT n.nspname || '.' || c.relname, u.columns FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN LATERAL (
        SELECT (SELECT string_agg(replace(pg_get_indexdef(i.indexrelid, k::integer, true), '"', ''), ' ' ORDER BY k)
          FROM generate_series(1, i.indnkeyatts) AS k) AS columns
        FROM pg_index AS i WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion)
      ) AS u ON true
    WHERE n.nspname IN ('settled', 'racing', 'checkins', 'seasons', 'achievements', 'strava', 'accounts', 'gateway')
      AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    """

  private static let columns: Statement = """
    SELECT c.oid::regclass::text, a.attname::text FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE a.attnum > 0 AND NOT a.attisdropped
    """

  @Test func `the page of a cluster names each table with a key, and all unique keys that lack it`() async throws {
    let owner = try await SettledDatabase.simulated().connect()
    let unique = try await owner.query(Self.uniqueKeys).decode(String.self, String?.self)
    let columns = Set(try await owner.query(Self.columns).decode(String.self, String.self).map { "\($0.0).\($0.1)" })
    let rows = try RulePage("Engine.docc/Cluster.md").rows("Citus")
    #expect(try rows.flatMap { try $0.list("tables") }.sorted() == Set(unique.map { $0.0 }).sorted())
    for row in rows {
      let key = try row.text("key")
      guard key != "everywhere", key != "one machine" else { continue }
      let tables = try row.list("tables")
      for table in tables { #expect(columns.contains("\(table).\(key)"), "\(table) has no \(key)") }
      let lacking = unique.compactMap { table, names -> String? in
        guard let names, tables.contains(table), !names.split(separator: " ").contains(where: { $0 == key }) else {
          return nil
        }
        return "\(table)(\(names))"
      }
      let listed = try row.list("unique keys that lack it")
      #expect(listed.sorted() == Set(lacking).sorted(), "\(key) of \(tables): \(lacking)")
    }
  }
}
