package import Postgres

/// The span of time that an answer covers: it includes `from` and excludes `to`.
package struct InstantRange: Sendable, Equatable {
  package let from: Timestamp
  package let to: Timestamp

  package init(from: Timestamp, to: Timestamp) {
    self.from = from
    self.to = to
  }

  /// The parameters `from` and `to`. Throws the usage error if `to` is not after `from`, or too far from it.
  package static func read(
    _ call: CommandCall, daysMax: Int64, _ transaction: Transaction
  ) async throws -> InstantRange {
    guard let from = try await EngineHandlers.instant(call.text("from"), rule: "from", transaction),
      let to = try await EngineHandlers.instant(call.text("to"), rule: "to", transaction)
    else { throw CommandError(.usage, rule: "from", "from and to are required") }
    guard from < to, to.since(from) <= .seconds(daysMax * 86_400) else {
      throw CommandError(.usage, rule: "to", "to must be after from, and at most \(daysMax) days after it")
    }
    return InstantRange(from: from, to: to)
  }
}
