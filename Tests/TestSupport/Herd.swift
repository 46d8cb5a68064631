package import Postgres

/// Many races that end at once, with everything that belongs to them, written set by set by the owner.
///
/// As the contract functions would have left it: athletes, wallets, deposits, entry fees with their journals, verified
/// activities. Every race holds `entries` of the `athletes`; about one athlete in eight has no activity, and many
/// scores are equal. Every tenth race is of a type that nobody has a score in, and ends void.
package struct Herd: Sendable {
  package var races: Int
  package var entries: Int
  package var athletes: Int
  /// Whether every tenth race is void.
  package var hasVoidRaces = true

  /// - Parameter athletes: by default just enough, so that all races share them and their wallets.
  package init(races: Int, entries: Int, athletes: Int? = nil) {
    precondition(races >= 1 && entries >= 1 && (athletes ?? entries) >= entries, "a race of more entries than athletes")
    self.races = races
    self.entries = entries
    self.athletes = athletes ?? entries
  }

  /// Writes the herd into a database, by an owner's session; returns the ids of its races.
  ///
  /// The races have just ended as far as their times go, and are due; their status is `status`.
  package func write(_ owner: Connection, status: String = "ended") async throws -> [Int64] {
    let existing = try await owner.query("SELECT coalesce(max(id), 0) FROM racing.athlete").one(Int64.self)
    // One transaction: a daemon that runs already must not find races whose entries are still to come.
    let ids = try await owner.transaction { transaction in
      _ = try await transaction.pipeline([
        HerdStatements.athletes(athletes),
        HerdStatements.wallets(after: existing, pence: Int64(races) * 100 + 900),
        HerdStatements.deposits(after: existing),
        HerdStatements.activities(after: existing),
      ])
      let ids = try await transaction.query(HerdStatements.races(races, status: status, hasVoid: hasVoidRaces))
        .decode(Int64.self)
      _ = try await transaction.pipeline([
        HerdStatements.entries(ids, entries: entries, athletes: athletes, after: existing),
        HerdStatements.feeJournals(ids),
        HerdStatements.feePostings(ids),
        HerdStatements.charge(ids),
        HerdStatements.count(ids),
      ])
      return ids
    }
    _ = try await owner.execute("ANALYZE")
    return ids
  }
}
