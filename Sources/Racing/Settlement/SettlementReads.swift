import Engine
import Money
package import Postgres

/// Reads what is to be done about locked races, each statement with a snapshot younger than the locks.
enum SettlementGather {
  /// The statements whose answers `tasks(from:)` takes. Races that are not settled, which are nearly all, need no
  /// others.
  static func reads(_ ids: BatchKeys, withOpen: Bool = false) -> [Statement] {
    let statuses = statuses(withOpen: withOpen)
    return [
      RaceRow.statement(ids), refunds(ids), SettlementRows.entries(ids, statuses: statuses),
      SettlementRows.candidates(ids, statuses: statuses), SettlementRows.unlisted(ids),
    ]
  }

  /// The input of settlement and correction, each race by its status; `withOpen` includes races that have not ended.
  static func tasks(
    _ ids: [Int64], at now: Timestamp, withOpen: Bool = false, in transaction: Transaction
  ) async throws -> [SettlementTask] {
    let answers = try await transaction.pipeline(reads(.these(ids), withOpen: withOpen))
    return try await tasks(from: answers, at: now, withOpen: withOpen, in: transaction)
  }

  /// The same from the answers of `reads`.
  ///
  /// Of activities that nobody has scored at most `readMax` are read; races that need
  /// more are left out for another time.
  static func tasks(
    from replies: [Rows], at now: Timestamp, withOpen: Bool = false, scores: PendingScores = PendingScores(),
    readMax: Int = .max, in transaction: Transaction
  ) async throws -> [SettlementTask] {
    let statuses = statuses(withOpen: withOpen)
    let races = try replies[0].decodeAll(as: RaceRow.init)
    let owed = try refunds(replies[1])
    let open = try await SettlementRows.read(
      races.filter { statuses.contains($0.status) }, entries: replies[2], candidates: replies[3],
      unlisted: replies[4], at: now, scores: scores, readMax: readMax, in: transaction)
    let settled = try await CorrectionRows.read(races.filter { $0.status == .settled }, at: now, in: transaction)
    return races.compactMap { race in
      let work: SettlementTask.Work
      if let (input, provenance) = open[race.id] {
        work = .settlement(input, provenance)
      } else if statuses.contains(race.status) {
        return nil
      } else if let (input, provenance) = settled[race.id] {
        work = .correction(input, provenance)
      } else {
        work = .none
      }
      return SettlementTask(raceId: race.id, refunds: owed[race.id] ?? [], work: work)
    }
  }

  private static func statuses(withOpen: Bool) -> [RaceStatus] { withOpen ? [.upcoming, .active, .ended] : [.ended] }

  /// One race in any status, to be explained or previewed; nil if there is none or it is cancelled.
  static func explain(
    _ id: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws -> (race: RaceRow, input: SettlementInput, provenance: Provenance)? {
    let races = try await transaction.query(RaceRow.statement(.these([id]))).decodeAll(as: RaceRow.init)
    guard let race = races.first else { return nil }
    if race.status == .settled,
      let (input, provenance) = try await CorrectionRows.read([race], at: now, in: transaction)[id]
    {
      return (race, input.settlement, provenance)
    }
    let ids = BatchKeys.these([id])
    let replies = try await transaction.pipeline([
      SettlementRows.entries(ids, statuses: [race.status]), SettlementRows.candidates(ids, statuses: [race.status]),
      SettlementRows.unlisted(ids),
    ])
    let open = try await SettlementRows.read(
      [race], entries: replies[0], candidates: replies[1], unlisted: replies[2], at: now, in: transaction)
    return open[id].map { (race, $0.input, $0.provenance) }
  }

  /// Fees of disqualified entries that are still in the pools.
  static func refunds(_ ids: BatchKeys) -> Statement {
    """
    SELECT race_id, id, athlete_id, fee_pence, reinstatement_count::bigint FROM racing.entry
    WHERE race_id = ANY(\(fragment: ids.array)) AND status = 'disqualified' AND NOT is_refunded ORDER BY id
    """
  }

  /// By race, from the rows of `refunds`.
  static func refunds(_ rows: Rows) throws(PostgresError) -> [Int64: [Refund]] {
    var owed: [Int64: [Refund]] = [:]
    for (race, refund) in try rows.decodeAll(as: refund) { owed[race, default: []].append(refund) }
    return owed
  }

  private static func refund(_ row: Row) throws(PostgresError) -> (race: Int64, Refund) {
    let refund = Refund(
      entryId: try row["id"], athleteId: try row["athlete_id"], amount: Pence(try row["fee_pence"] as Int64),
      reinstatements: try row["reinstatement_count"])
    return (try row["race_id"], refund)
  }
}

/// A race's own row, as settlement and correction read it.
struct RaceRow {
  let id: Int64
  let status: RaceStatus
  let type: RaceType
  let shares: PrizeShares
  let percent: Percent
  let entryFee: Pence
  let dueAt: Timestamp
  let holdUntil: Timestamp
  /// The ends of claims' holds: of those whose read waits for nothing but the provider's limit, and of others.
  let unreadUntil: Timestamp
  let claimUntil: Timestamp

  /// The races with the snapshot of their settings. Those that are cancelled meanwhile are left out. The hold of claims
  /// is that of the setting now; of an unread one it is counted from the last read that the limit did not allow.
  static func statement(_ ids: BatchKeys) -> Statement {
    """
    WITH hold AS MATERIALIZED (
      SELECT settled.setting_span('racing.provider_hold') AS span, strava.reads_short_at() AS short_at
    )
    SELECT r.id, r.status, r.type, r.prize_shares::bigint[],
      (r.platform_fee_percent * 100)::bigint AS platform_fee_hundredths, r.entry_fee_pence, r.due_at,
      r.due_at + r.review_hold AS hold_until, r.due_at + h.span AS claim_until,
      greatest(r.due_at, h.short_at) + h.span AS unread_until
    FROM racing.race AS r, hold AS h
    WHERE r.id = ANY(\(fragment: ids.array)) AND r.status <> 'cancelled' ORDER BY r.next_check_at, r.id
    """
  }

  init(_ row: Row) throws {
    id = try row["id"]
    let shares: [Int64] = try row["prize_shares"]
    guard let status = RaceStatus(rawValue: try row["status"]), let type = RaceType(rawValue: try row["type"]),
      shares.count == 3
    else {
      throw SettlementError(.corrupt, "race \(id) has an unknown status or type, or not three prize shares")
    }
    self.status = status
    self.type = type
    self.shares = try PrizeShares(shares[0], shares[1], shares[2])
    percent = try Percent(hundredths: try row["platform_fee_hundredths"])
    entryFee = Pence(try row["entry_fee_pence"] as Int64)
    dueAt = try row["due_at"]
    holdUntil = try row["hold_until"]
    unreadUntil = try row["unread_until"]
    claimUntil = try row["claim_until"]
  }

  func input(
    _ entries: [EntryInput], held: [HeldActivity] = [], claims: [HeldClaim] = [],
    unlisted: [UnlistedEntrant] = [], now: Timestamp
  ) -> SettlementInput {
    SettlementInput(
      raceId: id, type: type, shares: shares, percent: percent, entryFee: entryFee, dueAt: dueAt,
      holdUntil: holdUntil, entries: entries, held: held, claims: claims, unlisted: unlisted, now: now)
  }
}

/// The inputs of races that are not settled, of those in one of `statuses`: the statements and what their rows mean.
enum SettlementRows {
  /// One row for each race that has entries: those neither disqualified nor refunded, as parallel arrays.
  static func entries(_ ids: BatchKeys, statuses: [RaceStatus]) -> Statement {
    """
    SELECT e.race_id, array_agg(e.id) AS ids, array_agg(e.athlete_id) AS athletes,
      array_agg(e.entered_at) AS entered_at, array_agg(e.fee_pence) AS fees
    FROM racing.race AS r JOIN racing.entry AS e ON e.race_id = r.id
    WHERE r.id = ANY(\(fragment: ids.array)) AND r.status = ANY(\(statuses.map(\.rawValue))) AND e.status NOT IN ('disqualified', 'refunded')
    GROUP BY e.race_id
    """
  }

  /// One row for each race with activities that may count, as parallel arrays. score is null where the activity is
  /// not long enough, or (never validated) was never scored. unread is null for activities, and for open claims whether
  /// their read waits for the provider's limit.
  static func candidates(_ ids: BatchKeys, statuses: [RaceStatus]) -> Statement {
    """
    SELECT race_id, array_agg(entry_id) AS entries, array_agg(activity_id) AS activities, array_agg(score) AS scores,
      array_agg(started_at) AS started_at, array_agg(strava_id) AS strava_ids, array_agg(is_held) AS held,
      array_agg(NOT scored) AS unscored,
      array_agg(CASE WHEN is_claim THEN racing.awaits_read(activity_id) END) AS unread
    FROM racing.qualifying_activity
    WHERE race_id = ANY(\(fragment: ids.array)) AND race_status = ANY(\(statuses.map(\.rawValue)))
      AND (status = 'verified' OR is_held)
    GROUP BY race_id
    """
  }

  /// The entrants of ended races of whom the provider's limit of reads has kept something from being read.
  static func unlisted(_ ids: BatchKeys) -> Statement {
    // Mostly nobody waits for a read, and the function is not called.
    """
    SELECT race_id, athlete_id FROM racing.unlisted_entrants(\(fragment: ids.array))
    WHERE EXISTS (SELECT FROM strava.read_request WHERE class = 0)
    """
  }

  /// By race, from the rows of `entries`, `candidates` and `unlisted`. A race with activities whose scores are not
  /// known after `readMax` were read is left out.
  static func read(
    _ races: [RaceRow], entries: Rows, candidates: Rows, unlisted: Rows, at now: Timestamp,
    scores: PendingScores = PendingScores(), readMax: Int = .max, in transaction: Transaction
  ) async throws -> [Int64: (input: SettlementInput, provenance: Provenance)] {
    var activities = try CandidateRows(candidates)
    try await activities.scorePending(races.map(\.id), by: scores, readMax: readMax, in: transaction)
    let entries = try EntryRows(entries)
    let unlisted = Dictionary(grouping: try unlisted.decode(Int64.self, Int64.self), by: \.0)
    var inputs: [Int64: (input: SettlementInput, provenance: Provenance)] = [:]
    for race in races where activities.isScored(race.id) {
      let candidates = activities.ofRace(race.id, type: race.type)
      let all = candidates.values.joined()
      let input = race.input(
        entries.ofRace(race.id, candidates: candidates, type: race.type),
        held: entries.held(ofRace: race.id, candidates: candidates, type: race.type),
        claims: entries.claims(ofRace: race, activities.claims(ofRace: race.id)),
        unlisted: (unlisted[race.id] ?? []).map { UnlistedEntrant(athleteId: $0.1, until: race.unreadUntil) }, now: now)
      let provenance = Provenance(
        counted: all.filter { !$0.isHeld }.map(\.activityId).sorted(),
        held: (all.filter(\.isHeld).map(\.activityId) + input.claims.map(\.id)).sorted())
      inputs[race.id] = (input, provenance)
    }
    return inputs
  }
}

/// The entries of a batch of open races, from the rows of `SettlementRows.entries`.
struct EntryRows {
  private struct Entry {
    let id: Int64
    let athleteId: Int64
    let enteredAt: Timestamp
    let fee: Int64
  }

  private var byRace: [Int64: [Entry]] = [:]

  init(_ rows: Rows) throws(PostgresError) {
    for (race, entries) in try rows.decodeAll(as: Self.race) { byRace[race] = entries }
  }

  private static func race(_ row: Row) throws(PostgresError) -> (id: Int64, [Entry]) {
    let (ids, athletes): ([Int64], [Int64]) = (try row["ids"], try row["athletes"])
    let (enteredAt, fees): ([Timestamp], [Int64]) = (try row["entered_at"], try row["fees"])
    let entries = ids.indices.map {
      Entry(id: ids[$0], athleteId: athletes[$0], enteredAt: enteredAt[$0], fee: fees[$0])
    }
    return (try row["race_id"], entries)
  }

  func ofRace(_ race: Int64, candidates: [Int64: [Candidate]], type: RaceType) -> [EntryInput] {
    (byRace[race] ?? []).map { entry in
      let own = candidates[entry.id] ?? []
      let maxScore = BestScore(of: own, type: type)
      let minScore = own.contains(where: \.isHeld) ? BestScore(of: own.filter { !$0.isHeld }, type: type) : maxScore
      return EntryInput(
        id: entry.id, athleteId: entry.athleteId, enteredAt: entry.enteredAt, fee: Pence(entry.fee),
        minScore: minScore, maxScore: maxScore)
    }
  }

  /// The held activities that would count with a score better than their athlete's best of those that are not.
  func held(ofRace race: Int64, candidates: [Int64: [Candidate]], type: RaceType) -> [HeldActivity] {
    (byRace[race] ?? []).flatMap { entry in
      guard let own = candidates[entry.id], own.contains(where: \.isHeld) else { return [HeldActivity]() }
      let minScore = BestScore(of: own.filter { !$0.isHeld }, type: type)
      return own.filter { held in held.isHeld && minScore.map { type.isBetter(held.score, than: $0.score) } ?? true }
        .map { HeldActivity(id: $0.activityId, athleteId: entry.athleteId) }
    }
  }

  func claims(ofRace race: RaceRow, _ claims: [CandidateRows.Claim]) -> [HeldClaim] {
    guard !claims.isEmpty else { return [] }
    let athletes = Dictionary(uniqueKeysWithValues: (byRace[race.id] ?? []).map { ($0.id, $0.athleteId) })
    return claims.compactMap { claim in
      athletes[claim.entry].map {
        HeldClaim(id: claim.id, athleteId: $0, until: claim.isUnread ? race.unreadUntil : race.claimUntil)
      }
    }
  }
}

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
