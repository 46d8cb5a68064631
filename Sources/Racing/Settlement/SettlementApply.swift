import Engine
import Money
import Postgres

/// Writes what was decided about a batch of races, set by set, in one round trip.
struct SettlementApply {
  private let settled: [(race: RaceInput, result: SettlementResult)]
  private let waiting: [(raceId: Int64, until: Timestamp, activities: [Int64])]
  private let now: Timestamp

  init(_ races: [DecidedRace], now: Timestamp) {
    var settled: [(RaceInput, SettlementResult)] = []
    var waiting: [(Int64, Timestamp, [Int64])] = []
    for decided in races {
      switch decided.decision {
      case .settle(let result): settled.append((decided.race, result))
      case .wait(let until, let activities): waiting.append((decided.race.settlement.raceId, until, activities))
      }
    }
    self.settled = settled
    self.waiting = waiting
    self.now = now
  }

  /// Throws `SettlementError.written` where a statement did not touch exactly the rows it was meant to.
  func write(in transaction: Transaction) async throws {
    var steps: [Step] = waiting.map {
      Step(ApplyStatements.wait($0.raceId, until: $0.until, for: $0.activities), rows: 1)
    }
    if !settled.isEmpty { steps += settlementSteps() }
    let replies = try await transaction.pipeline(steps.map(\.statement))
    for (step, reply) in zip(steps, replies) where step.rows.map({ $0 != reply.affected }) ?? false {
      throw SettlementError(.written, "a settlement wrote \(reply.affected) rows where \(step.rows ?? 0) were decided")
    }
  }

  private struct Step {
    let statement: Statement
    /// How many rows it must touch; nil where the number says nothing.
    let rows: Int?

    init(_ statement: Statement, rows: Int?) {
      self.statement = statement
      self.rows = rows
    }
  }

  /// The order is the house's: races are locked already, then all wallets in one ordered statement. What needs no
  /// wallet comes before it, because everybody who deposits or enters waits for the wallets until the commit.
  private func settlementSteps() -> [Step] {
    let credits = settled.flatMap { race, result in Self.credits(of: race.settlement.raceId, result) }
    let booked = settled.filter { !$0.result.payouts.isEmpty || !$0.result.refunds.isEmpty }.map { race, result in
      ApplyStatements.Journal(
        raceId: race.settlement.raceId, isPaid: result.outcome == .paid,
        pool: result.outcome == .paid ? result.fees : Self.total(result.refunds), platformFee: result.platformFee)
    }
    let postings = credits.count + booked.count + booked.filter { $0.platformFee > .zero }.count
    let entries = settled.flatMap(\.result.ranking)
    let isVoid = settled.flatMap { race, result in result.ranking.map { _ in result.outcome == .void } }
    let athletes = Set(credits.map(\.athleteId)).count
    let payouts = settled.flatMap { race, result in result.payouts.map { (race.settlement.raceId, $0) } }
    return [
      Step(ApplyStatements.entries(entries, isVoid: isVoid), rows: entries.count),
      Step(ApplyStatements.journals(booked, at: now), rows: booked.count),
      Step(ApplyStatements.settlements(settled, at: now), rows: settled.count),
      Step(ApplyStatements.payouts(payouts), rows: payouts.count),
      Step(ApplyStatements.races(settled.map(\.race.settlement.raceId)), rows: settled.count),
      Step(ApplyStatements.events(settled, at: now), rows: settled.count),
      Step(ApplyStatements.lockWallets(credits.map(\.athleteId)), rows: athletes),
      Step(ApplyStatements.postings(credits, booked), rows: postings),
      Step(ApplyStatements.wallets(credits), rows: athletes),
    ]
  }

  private static func credits(of race: Int64, _ result: SettlementResult) -> [ApplyStatements.Credit] {
    result.payouts.map { .init(raceId: race, entryId: $0.entryId, athleteId: $0.athleteId, amount: $0.amount) }
      + result.refunds.map { .init(raceId: race, entryId: $0.entryId, athleteId: $0.athleteId, amount: $0.amount) }
  }

  private static func total(_ refunds: [Refund]) -> Pence {
    refunds.reduce(into: .zero) { $0 = Pence($0.amount + $1.amount.amount) }
  }
}
