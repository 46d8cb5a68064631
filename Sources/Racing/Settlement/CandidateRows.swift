package import Postgres

/// The activities and open claims that may count in a batch of races, from one row for each race with parallel arrays.
struct CandidateRows {
  private struct Activity {
    let entry: Int64
    let activity: Int64
    let score: Int64?
    let startedAt: Timestamp
    let stravaId: Int64
    let isHeld: Bool
    let isUnscored: Bool
  }

  struct Claim {
    let entry: Int64
    let id: Int64
    /// Whether nothing but the provider's limit delays its read.
    let isUnread: Bool
  }

  private var byRace: [Int64: [Activity]] = [:]
  private var claims: [Int64: [Claim]] = [:]
  /// Scores of pending activities that nobody has scored yet: their scores decide whether a race waits for them.
  private var pending: [Int64: Scores] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    for (race, activities, claims) in try rows.decodeAll(as: Self.race) {
      byRace[race] = activities
      if !claims.isEmpty { self.claims[race] = claims }
    }
  }

  private static func race(_ row: Row) throws(PostgresError) -> (id: Int64, [Activity], [Claim]) {
    let (entries, activities): ([Int64], [Int64]) = (try row["entries"], try row["activities"])
    let (scores, startedAt): ([Int64?], [Timestamp]) = (try row["scores"], try row["started_at"])
    let (stravaIds, held): ([Int64], [Bool]) = (try row["strava_ids"], try row["held"])
    let (unscored, unread): ([Bool], [Bool?]) = (try row["unscored"], try row["unread"])
    var (all, claims): ([Activity], [Claim]) = ([], [])
    all.reserveCapacity(entries.count)
    for index in entries.indices {
      if let isUnread = unread[index] {
        claims.append(Claim(entry: entries[index], id: activities[index], isUnread: isUnread))
      } else {
        all.append(
          Activity(
            entry: entries[index], activity: activities[index], score: scores[index], startedAt: startedAt[index],
            stravaId: stravaIds[index], isHeld: held[index], isUnscored: unscored[index]))
      }
    }
    return (try row["race_id"], all, claims)
  }

  func claims(ofRace race: Int64) -> [Claim] { claims[race] ?? [] }

  /// Scores what is pending in these races, one activity at a time, the first races first; reads at most `readMax`.
  mutating func scorePending(
    _ races: [Int64], by scores: PendingScores, readMax: Int, in transaction: Transaction
  ) async throws {
    var seen: Set<Int64> = []
    let ids = races.flatMap { race in
      (byRace[race] ?? []).filter(\.isUnscored).map(\.activity).sorted().filter { seen.insert($0).inserted }
    }
    pending = try await scores.scores(of: ids, readMax: readMax, in: transaction)
  }

  /// Whether all activities of a race are scored.
  func isScored(_ race: Int64) -> Bool {
    (byRace[race] ?? []).allSatisfy { !$0.isUnscored || pending[$0.activity] != nil }
  }

  /// By entry; activities without a score in this type of race are left out, and those that are not among `only`.
  func ofRace(_ race: Int64, type: RaceType, only: Set<Int64>? = nil) -> [Int64: [Candidate]] {
    var candidates: [Int64: [Candidate]] = [:]
    for row in byRace[race] ?? [] where only?.contains(row.activity) ?? true {
      guard let score = row.isUnscored ? pending[row.activity]?[type] : row.score else { continue }
      candidates[row.entry, default: []].append(
        Candidate(
          activityId: row.activity, score: score, startedAt: row.startedAt, stravaId: row.stravaId,
          isHeld: row.isHeld))
    }
    return candidates
  }
}

/// An activity that may count for an entry: inside the race's window and imported in time.
package struct Candidate: Hashable, Sendable {
  package let activityId: Int64
  package let score: Int64
  package let startedAt: Timestamp
  package let stravaId: Int64
  /// Whether it counts only if a later validation or review lets it.
  package let isHeld: Bool

  package init(activityId: Int64, score: Int64, startedAt: Timestamp, stravaId: Int64, isHeld: Bool) {
    self.activityId = activityId
    self.score = score
    self.startedAt = startedAt
    self.stravaId = stravaId
    self.isHeld = isHeld
  }
}

extension BestScore {
  /// The best of the candidates; equal scores are named by the earlier start, then the lower Strava id.
  package init?(of candidates: [Candidate], type: RaceType) {
    let best = candidates.max { left, right in
      if left.score != right.score { return type.isBetter(right.score, than: left.score) }
      return (right.startedAt, right.stravaId) < (left.startedAt, left.stravaId)
    }
    guard let best else { return nil }
    self.init(score: best.score, activityId: best.activityId)
  }
}
