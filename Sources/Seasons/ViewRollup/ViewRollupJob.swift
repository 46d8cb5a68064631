package import Engine
package import Postgres

/// Adds views of team talks to the totals of their talks, and keeps the latest twenty of each.
///
/// An item is a view that is not yet counted; readers count these themselves, so that an answer is right however late
/// the job is. Source of the rules: Seasons.docc/TeamTalks.md, "Views".
package struct ViewRollupJob: TwoStepJob {
  package let name = "view-rollup"
  package let largestBatch = 4_096

  package init() {}

  package let source = DueSource("seasons.uncounted_view", key: "id", [.init(at: "t.viewed_at", where: "true")])

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [TalkView] {
    try ViewRollupRows.views(try await transaction.query(ViewRollupRows.views(keys)))
  }

  package func key(of view: TalkView) -> Int64 { view.id }

  package func apply(_ views: [TalkView], at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await transaction.pipeline([
      ViewRollupRows.count(views.map(\.id)), ViewRollupRows.trim(Set(views.map(\.talk)).sorted()),
    ])
  }
}

/// One view of a team talk.
package struct TalkView: Hashable, Sendable {
  let id: Int64
  let talk: Int64
}
