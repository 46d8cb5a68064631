package import Engine
package import Money
package import Postgres

/// Settles races whose results are due: the main job.
///
/// One transaction serves a batch: `SettlementWrites` has the order of its writes. A race that waits for held
/// activities gets a later `next_check_at`; a change of one of its inputs sets it back to `due_at`. A marked race, of
/// any status, gives back the fees of disqualified entries. It is corrected where it is settled. A race with very many
/// activities that nobody has scored stays due while their content is read, a part in each transaction.
package struct SettlementJob: Job {
  package let name = "race-settlement"
  package let stopsAfterRestore = true
  package let largestBatch = 512
  package let usesLanes = true

  private let scores = PendingScores()

  package init() {}

  /// `settle_due_at` is the `next_check_at` of ended races, and the instant of the
  /// mark of any. Others have to end first.
  package let source = DueSource(
    "racing.race", key: "id",
    [
      .init(at: "t.next_check_at", where: "t.status IN ('upcoming', 'active')", claimed: false),
      .init(at: "t.settle_due_at", where: "t.settle_due_at IS NOT NULL"),
    ])

  package func reads(_ races: BatchKeys) -> [Statement] { SettlementGather.reads(races) }

  package func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [SettlementTask]
  {
    try await gather(keys, from: transaction.pipeline(reads(.these(keys))), at: now, in: transaction)
  }

  package func gather(
    _ keys: [Int64], from answers: [Rows], at now: Timestamp, in transaction: Transaction
  ) async throws -> [SettlementTask] {
    try await SettlementGather.tasks(
      from: answers, at: now, scores: scores, readMax: PendingScores.readMax, in: transaction)
  }

  package func key(of task: SettlementTask) -> Int64 { task.raceId }

  package func decide(_ task: SettlementTask, at now: Timestamp) throws -> SettlementOutcome {
    try SettlementOutcome(task)
  }

  /// Races that pay or charge an athlete whose wallet another transaction has locked.
  package func lockedByOthers(
    _ outcomes: [SettlementOutcome], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Int64> {
    let athletes = try outcomes.map { (race: $0.raceId, athletes: try SettlementWrites.athletes(of: $0)) }
    let all = athletes.reduce(into: Set<Int64>()) { $0.formUnion($1.athletes) }
    let locked = try await LedgerStatements.lockFree(all.sorted(), in: transaction)
    return Set(athletes.filter { !$0.athletes.isDisjoint(with: locked) }.map(\.race))
  }

  package func apply(_ outcomes: [SettlementOutcome], at now: Timestamp, in transaction: Transaction) async throws {
    try await SettlementWrites(outcomes, now: now).write(in: transaction)
  }

  package func rehearse(at now: Timestamp, in transaction: Transaction) async throws {
    // Those of later batches; the first one's go with its claim.
    _ = try await gather([], at: now, in: transaction)
    try await SettlementWrites.rehearse(at: now, in: transaction)
  }
}

/// Everything that is to be done about a claimed race.
package struct SettlementTask: Sendable {
  package enum Work: Sendable {
    /// Only refunds: the race is still open.
    case none
    case settlement(SettlementInput, Provenance)
    case correction(CorrectionInput, Provenance)
  }

  package let raceId: Int64
  /// Fees of disqualified entries that have not been given back.
  package let refunds: [Refund]
  package let work: Work

  /// All fees that go back when the race is settled with this result.
  func refunded(with result: SettlementResult) throws(MoneyError) -> Pence {
    try Pence.sum((refunds + result.refunds).lazy.map(\.amount))
  }
}

/// The values that a settlement keeps beside its result, for later corrections.
package struct Provenance: Sendable {
  /// Every activity that counts, best or not, by id.
  package var counted: [Int64]
  /// Every activity that revision 1 held, whether or not it mattered, and that does not count; by id.
  package var held: [Int64]
}

/// A task and what was decided about it.
package struct SettlementOutcome: Sendable {
  package enum Work: Sendable {
    case none
    case settlement(SettlementInput, Provenance, SettlementDecision)
    case correction(CorrectionInput, Provenance, Revision)
  }

  package let raceId: Int64
  package let refunds: [Refund]
  package let work: Work

  /// Decides: pure.
  package init(_ task: SettlementTask) throws(MoneyError) {
    raceId = task.raceId
    refunds = task.refunds
    switch task.work {
    case .none: work = .none
    case .settlement(let input, let provenance):
      work = .settlement(input, provenance, try Settlement.decide(input))
    case .correction(let input, let provenance):
      if let revision = try Correction.revise(input) {
        work = .correction(input, provenance, revision)
      } else {
        work = .none
      }
    }
  }

  package init(raceId: Int64, refunds: [Refund], work: Work) {
    self.raceId = raceId
    self.refunds = refunds
    self.work = work
  }
}
