package import Postgres

extension Session {
  /// How many pages of tables, indexes and temporary files a statement touches, what its functions do included.
  ///
  /// Counted the second and the third time, and the lesser number taken: the first one reads catalogues as well, and so
  /// does a later one where something else in the cluster has made this session forget what it knew of them.
  nonisolated(nonsending) package func pagesTouched(_ statement: Statement) async throws -> Int {
    _ = try await query(statement)
    let (second, third) = (try await counted(statement), try await counted(statement))
    return min(second, third)
  }

  private nonisolated(nonsending) func counted(_ statement: Statement) async throws -> Int {
    let plan = try await query("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) \(fragment: statement)")
      .decode(String.self)
    // The first line of the kind is that of the whole plan: `Buffers: shared hit=12 read=3, temp read=1 written=1`.
    guard let line = plan.first(where: { $0.contains("Buffers: shared") }) else { return 0 }
    return line.split(whereSeparator: { " ,".contains($0) }).reduce(0) { sum, word in
      let parts = word.split(separator: "=")
      guard parts.count == 2, parts[0] == "hit" || parts[0] == "read" else { return sum }
      return sum + (Int(parts[1]) ?? 0)
    }
  }
}
