package import Postgres

/// How many calls all nodes together may make in windows of time, such as 200 in 15 minutes and 2,000 in a day.
///
/// Windows follow the business clock and begin at multiples of their length since 1970 in UTC.
package struct CallBudget: Sendable {
  package struct Window: Sendable {
    let length: Duration
    let limit: String

    /// - Parameter limit: the setting with the number; a limit stated by the provider takes precedence.
    package init(_ length: Duration, limit: String) {
      self.length = length
      self.limit = limit
    }
  }

  private let name: String
  private let windows: [Window]
  private let reserve: Int64
  private let wider: [CallBudget]
  private var shares: [Share] = []

  /// A part of the budget that counts its own calls.
  private struct Share: Sendable {
    let name: String
    let quarters: Int64
  }

  /// - Parameters:
  ///   - reserve: how many calls of each window are left to inputs that may use the reserve; a quarter at most.
  ///     These take half of a window at most.
  ///   - wider: a budget that every call of this one also uses.
  package init(_ name: String, _ windows: [Window], reserve: Int64 = 0, within wider: CallBudget? = nil) {
    precondition(
      reserve >= 0 && !windows.isEmpty && windows.allSatisfy { $0.length >= .seconds(1) },
      "a budget's windows must be at least one second long")
    self.name = name
    self.windows = windows
    self.reserve = reserve
    self.wider = wider.map { [$0] } ?? []
  }

  /// This budget for callers that may use this many quarters of each window, at least one call.
  ///
  /// A share of a share counts in both: its callers also use up the larger one.
  package func share(quarters: Int64, as name: String) -> CallBudget {
    precondition((1...3).contains(quarters), "a share must be one to three quarters of the budget")
    var part = self
    part.shares.append(Share(name: name, quarters: quarters))
    return part
  }

  /// Whether both count their calls together.
  func isSame(as other: CallBudget) -> Bool { name == other.name && shares.map(\.name) == other.shares.map(\.name) }

  /// Takes up to this many calls: returns how many may be made and, if fewer, the delay until there may be more.
  package func take(
    _ wanted: Int, usesReserve: Bool = false, in transaction: Transaction
  ) async throws -> (granted: Int, wait: Duration) {
    var (granted, wait) = try await transaction.query(
      """
      SELECT granted, wait FROM settled.take_calls(\(name), \(seconds), \(keys), \(reserve), \(usesReserve),
        \(Int64(wanted)))
      """
    ).one(Int64.self, Int64.self)
    for budget in wider where granted > 0 {
      let allowed = try await budget.take(Int(granted), in: transaction)
      guard allowed.granted < granted else { continue }
      try await transaction.execute(giveBack(granted - Int64(allowed.granted), of: name, isShort: true))
      (granted, wait) = (Int64(allowed.granted), max(wait, allowed.wait.microseconds))
    }
    // Shares come last: then all of their callers have locked the same windows first.
    var taken = [name] + wider.map(\.name)
    for share in shares where granted > 0 {
      let (allowed, time) = try await transaction.query(
        """
        SELECT granted, wait FROM settled.take_calls(\(share.name), \(seconds), \(keys), 0, false, \(granted), \(name),
          \(share.quarters))
        """
      ).one(Int64.self, Int64.self)
      if allowed < granted {
        for name in taken {
          try await transaction.execute(giveBack(granted - allowed, of: name, isShort: false))
        }
        (granted, wait) = (allowed, max(wait, time))
      }
      taken.append(share.name)
    }
    return (Int(granted), .microseconds(wait))
  }

  private var seconds: [Int64] { windows.map(\.length.components.seconds) }

  private var keys: [String] { windows.map(\.limit) }

  private func giveBack(_ calls: Int64, of budget: String, isShort: Bool) -> Statement {
    "SELECT settled.give_back_calls(\(budget), \(seconds), \(calls), \(isShort))"
  }

  /// SQL: whether inputs that may use the reserve may take another call. With this condition a job's order puts others
  /// first once that share is spent.
  package var hasReserveShare: String {
    let (seconds, keys) = (windows.map { "\($0.length.components.seconds)" }, windows.map { "'\($0.limit)'" })
    return """
      (SELECT settled.has_reserve_share('\(name)', ARRAY[\(seconds.joined(separator: ", "))]::bigint[],
        ARRAY[\(keys.joined(separator: ", "))]::text[]))
      """
  }

  /// The limit and the use of one window, as the provider states them.
  package struct WindowUsage: Sendable {
    package let length: Duration
    package let used: Int64
    package let limit: Int64?

    package init(_ length: Duration, used: Int64, limit: Int64?) {
      self.length = length
      self.used = used
      self.limit = limit
    }
  }

  /// Records the limits that the provider states in the reply to a call prepared at `instant`; limits of past windows
  /// are ignored.
  ///
  /// The last statement of its transaction, because it locks what every claim needs.
  package func note(_ usage: [WindowUsage], ofCallAt instant: Timestamp) -> Statement {
    """
    SELECT settled.note_calls(\(name), \(usage.map(\.length.components.seconds)), \(usage.map(\.used)),
      \(usage.map { $0.limit ?? -1 }), \(instant))
    """
  }

  /// The use of each window, shortest first; each has its limit.
  package func readUsage(in transaction: Transaction) async throws -> [WindowUsage] {
    try await transaction.query(usage).decode(Int64.self, Int64.self, Int64.self)
      .map { WindowUsage(.seconds($0), used: $1, limit: $2) }
  }

  /// SQL of three numbers for each window, shortest first: its seconds, how many calls are used, and how many are
  /// allowed.
  package var usage: Statement {
    """
    SELECT l.seconds,
      coalesce(CASE WHEN w.started_at + w.seconds * interval '1 second' > settled.clock() THEN w.used END, 0) AS used,
      coalesce(CASE WHEN w.started_at + w.seconds * interval '1 second' > settled.clock() THEN w.told_limit END,
        settled.setting(l.key)::bigint) AS allowed
    FROM unnest(\(windows.map(\.length.components.seconds)), \(windows.map(\.limit))) AS l (seconds, key)
    LEFT JOIN settled.call_window AS w ON w.budget = \(name) AND w.seconds = l.seconds ORDER BY l.seconds
    """
  }
}
