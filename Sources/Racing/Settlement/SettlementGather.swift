import Money
import Postgres

/// Reads what is to be done about locked races, each statement with a snapshot younger than the locks.
enum SettlementGather {
  /// The input of settlement and correction, each race by its status; `withOpen` includes races that have not ended.
  ///
  /// Of activities that nobody has scored at most `readMax` are read; races that need
  /// more are left out for another time.
  static func tasks(
    _ ids: [Int64], at now: Timestamp, withOpen: Bool = false, scores: PendingScores = PendingScores(),
    readMax: Int = .max, in transaction: Transaction
  ) async throws -> [SettlementTask] {
    // Those not settled, which are nearly all, are read in the same round trip.
    let statuses: [RaceStatus] = withOpen ? [.upcoming, .active, .ended] : [.ended]
    let replies = try await transaction.pipeline([
      RaceRow.statement(ids), refunds(ids), SettlementRows.entries(ids, statuses: statuses),
      SettlementRows.candidates(ids, statuses: statuses), SettlementRows.unlisted(ids),
    ])
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

  /// One race in any status, to be explained or previewed; nil if there is none or it is cancelled.
  static func explain(
    _ id: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws -> (race: RaceRow, input: SettlementInput, provenance: Provenance)? {
    let races = try await transaction.query(RaceRow.statement([id])).decodeAll(as: RaceRow.init)
    guard let race = races.first else { return nil }
    if race.status == .settled,
      let (input, provenance) = try await CorrectionRows.read([race], at: now, in: transaction)[id]
    {
      return (race, input.settlement, provenance)
    }
    let replies = try await transaction.pipeline([
      SettlementRows.entries([id], statuses: [race.status]), SettlementRows.candidates([id], statuses: [race.status]),
      SettlementRows.unlisted([id]),
    ])
    let open = try await SettlementRows.read(
      [race], entries: replies[0], candidates: replies[1], unlisted: replies[2], at: now, in: transaction)
    return open[id].map { (race, $0.input, $0.provenance) }
  }

  /// Fees of disqualified entries that are still in the pools.
  static func refunds(_ ids: [Int64]) -> Statement {
    """
    SELECT race_id, id, athlete_id, fee_pence, reinstatement_count::bigint FROM racing.entry
    WHERE race_id = ANY(\(planStable: ids)) AND status = 'disqualified' AND NOT is_refunded ORDER BY id
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
  static func statement(_ ids: [Int64]) -> Statement {
    """
    SELECT id, status, type, prize_shares::bigint[], (platform_fee_percent * 100)::bigint AS platform_fee_hundredths,
      entry_fee_pence, due_at, due_at + review_hold AS hold_until,
      due_at + (SELECT settled.setting_span('racing.provider_hold')) AS claim_until,
      greatest(due_at, (SELECT strava.reads_short_at())) + (SELECT settled.setting_span('racing.provider_hold'))
        AS unread_until
    FROM racing.race WHERE id = ANY(\(planStable: ids)) AND status <> 'cancelled' ORDER BY next_check_at, id
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
