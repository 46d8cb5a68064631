import Money
import Postgres

/// Reads what is to be done about locked races, each statement with a snapshot younger than the locks.
enum SettlementGather {
  /// 1. The races with the snapshot of their settings. Those cancelled meanwhile are left out.
  static func races(_ ids: [Int64]) -> Statement {
    """
    SELECT id, status, type, prize_shares::bigint[], (platform_fee_percent * 100)::bigint, entry_fee_pence, due_at,
      due_at + review_hold
    FROM racing.race WHERE id = ANY(\(unseen: ids)) AND status <> 'cancelled' ORDER BY attend_at, id
    """
  }

  /// 2. Fees of disqualified entries that are still in the pools.
  static func refunds(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, id, athlete_id, fee_pence FROM racing.entry
    WHERE race_id = ANY(\(unseen: ids)) AND status = 'disqualified' AND NOT is_refunded ORDER BY id
    """
  }

  /// What settlement and correction decide, each race by its status; `withOpen` asks of those that have not ended too.
  ///
  /// Of activities that nobody has scored at most `readMax` are read; races that need more are left out for another time.
  static func read(
    _ ids: [Int64], at now: Timestamp, withOpen: Bool = false, scores: PendingScores = PendingScores(),
    readMax: Int = .max, in transaction: Transaction
  ) async throws -> [RaceMatter] {
    // Those not settled, which are nearly all, are read in the same round trip.
    let statuses = withOpen ? ["upcoming", "active", "ended"] : ["ended"]
    let replies = try await transaction.pipeline([
      races(ids), refunds(ids), OpenGather.entries(ids, statuses: statuses),
      OpenGather.candidates(ids, statuses: statuses),
    ])
    let found = try RaceHead.decode(replies[0])
    var owed: [Int64: [Refund]] = [:]
    for (race, entry, athlete, fee) in try replies[1].decode(Int64.self, Int64.self, Int64.self, Int64.self) {
      owed[race, default: []].append(Refund(entryId: entry, athleteId: athlete, amount: Pence(fee)))
    }
    let open = try await OpenGather.read(
      found.filter { statuses.contains($0.status) }, entries: replies[2], candidates: replies[3], at: now,
      scores: scores, readMax: readMax, in: transaction)
    let settled = try await CorrectionGather.read(found.filter { $0.status == "settled" }, at: now, in: transaction)
    return found.compactMap { race in
      let question: RaceMatter.Question
      if let input = open[race.id] {
        question = .settlement(input)
      } else if statuses.contains(race.status) {
        return nil
      } else if let input = settled[race.id] {
        question = .correction(input)
      } else {
        question = .none
      }
      return RaceMatter(raceId: race.id, refunds: owed[race.id] ?? [], question: question)
    }
  }

  /// One race in whatever status, to be explained or previewed; nil where there is none or it is cancelled.
  static func explain(
    _ id: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws -> (race: RaceHead, input: RaceInput)? {
    guard let race = try RaceHead.decode(try await transaction.query(races([id]))).first else { return nil }
    if race.status == "settled", let settled = try await CorrectionGather.read([race], at: now, in: transaction)[id] {
      let input = settled.input.settlement
      return (race, RaceInput(settlement: input, counted: settled.counted, held: settled.held))
    }
    let replies = try await transaction.pipeline([
      OpenGather.entries([id], statuses: [race.status]), OpenGather.candidates([id], statuses: [race.status]),
    ])
    return try await OpenGather.read(
      [race], entries: replies[0], candidates: replies[1], at: now, in: transaction)[id].map { (race, $0) }
  }
}
