import Postgres
import TestSupport

/// The conditions of any moment of the week, by the provider's own account and what was done to the daemons.
///
/// Nothing here asks the product what is right: the provider tells which answers nobody can have read, and the campaign
/// knows what was in the hands of those that it killed.
struct WeekModel {
  /// A connection as the database has it.
  struct Connection {
    let athlete: Int64
    let status: String
    let expiresAt: Int64?
    /// It is listed as lost.
    let isListed: Bool

    static let all: Statement = """
      SELECT c.athlete_id, c.status || coalesce(' ' || c.reason, ''), extract(epoch FROM c.expires_at)::bigint,
        EXISTS (SELECT FROM strava.lost_reply AS l JOIN strava.secret AS s USING (athlete_id, kind, number)
          WHERE l.athlete_id = c.athlete_id AND l.kind = 'refresh' AND l.is_lost)
      FROM strava.connection AS c ORDER BY c.athlete_id
      """

    static func decode(_ rows: Rows) throws -> [Connection] {
      try rows.decode(Int64.self, String.self, Int64?.self, Bool.self).map {
        Connection(athlete: $0, status: $1, expiresAt: $2, isListed: $3)
      }
    }
  }

  /// When each athlete connected last.
  private(set) var connectedAt: [Int64: Int64] = [:]
  /// The athletes whose tokens were in the hands of a run that was killed, and on no disk, since they connected.
  private var inDeadHands: Set<Int64> = []
  private(set) var lost: Set<Int64> = []
  private(set) var lostTimes = 0
  /// How often a spooled reply brought back what another node had given up.
  private(set) var revivedTimes = 0
  /// Business time at which an athlete was first seen without a token that lasts.
  private var withoutSince: [Int64: Int64] = [:]
  private(set) var longestWithout: Int64 = 0
  private var longestOfTrouble: Int64 = 0
  /// Calls that may have been under way when the provider told that a window was over.
  var spentAllowed = 0

  mutating func connected(_ athlete: Int64, at now: Int64) {
    connectedAt[athlete] = now
    inDeadHands.remove(athlete)
    lost.remove(athlete)
  }

  mutating func killed(inHand athletes: Set<Int64>) { inDeadHands.formUnion(athletes) }

  /// The differences. In trouble, tokens may end and calls may wait.
  mutating func check(
    _ connections: [Connection], _ report: ProviderReport, at now: Int64, inTrouble: Bool
  ) -> [String] {
    var wrong: [String] = []
    let undelivered = Set(
      report.undelivered.filter { $0.at > connectedAt[$0.athlete - 1000] ?? 0 }.map { $0.athlete - 1000 })
    for connection in connections {
      let athlete = connection.athlete
      let theirs = report.athletes["\(1000 + athlete)"]
      switch connection.status {
      case "active":
        let lasts = (connection.expiresAt ?? 0) > now && theirs?.alive == true
        measure(athlete, lasts: lasts, now)
        if lost.remove(athlete) != nil { (lostTimes, revivedTimes) = (lostTimes - 1, revivedTimes + 1) }
        if inTrouble { break }
        if !lasts { wrong.append("\(athlete) has no valid token") }
        if theirs?.expiresAt != connection.expiresAt { wrong.append("\(athlete) has not the provider's present token") }
      case "needs_reauth lost-reply":
        if lost.insert(athlete).inserted { lostTimes += 1 }
        withoutSince[athlete] = nil
        if !undelivered.contains(athlete), !inDeadHands.contains(athlete) {
          wrong.append("\(athlete) was lost although the answer was delivered")
        }
        if !connection.isListed { wrong.append("\(athlete) was lost and is not listed") }
      default: wrong.append("\(athlete) is \(connection.status)")
      }
    }
    if !inTrouble { wrong += undelivered.subtracting(lost).sorted().map { "\($0) lives on a dead token" } }
    if connections.count != connectedAt.count { wrong.append("there are \(connections.count) connections") }
    if report.parallel > 0 { wrong.append("\(report.parallel) refreshes beside another of the same athlete") }
    if report.callsInSpentWindow > spentAllowed {
      wrong.append("\(report.callsInSpentWindow) calls in spent windows, not \(spentAllowed)")
    }
    return wrong
  }

  /// The longest time that anybody was without a token since this was asked last.
  mutating func takeLongestWithout() -> Int64 {
    defer { (longestWithout, longestOfTrouble) = (max(longestWithout, longestOfTrouble), 0) }
    return longestOfTrouble
  }

  private mutating func measure(_ athlete: Int64, lasts: Bool, _ now: Int64) {
    if lasts {
      withoutSince[athlete] = nil
    } else {
      let since = withoutSince[athlete] ?? now
      withoutSince[athlete] = since
      longestOfTrouble = max(longestOfTrouble, now - since)
    }
  }
}
