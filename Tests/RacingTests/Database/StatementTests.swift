import Engine
import Money
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("Every statement of racing")
struct StatementTests {
  private static let now = Timestamp(microseconds: 0)

  private static var settled: [(race: RaceInput, result: SettlementResult)] {
    get throws {
      let fixture = try RaceFixture(scores: [5, 4, nil])
      let input = fixture.input()
      let race = RaceInput(settlement: input, counted: [1, 2], held: [])
      return [(race, try Settlement.settle(input))]
    }
  }

  private static var statements: [Statement] {
    get throws {
      let (settled, ids) = (try settled, [Int64(1), 2])
      let credit = ApplyStatements.Credit(raceId: 1, entryId: 1, athleteId: 1, amount: Pence(1))
      let journal = ApplyStatements.Journal(raceId: 1, isPaid: true, pool: Pence(100), platformFee: Pence(1))
      let request = LockRequest<Int64>(now: now, limit: 1, mode: .skipLocked, except: [7])
      let activity = ValidationJob.Activity(id: 1, verdict: .rejected([.gps]))
      let race = LifecycleJob.Race(id: 1, startsAt: now, endsAt: now, dueAt: now)
      return [
        ActivityContent.statement(ids), ActivityContent.streams(1),
        AffectedRaces.lock(activities: ids), AffectedRaces.lookAgain(activities: ids),
        ValidationStatements.lock(request, job: "a"), ValidationStatements.write([activity]),
        LifecycleStatements.lock(request, job: "a"), LifecycleStatements.races(ids),
        LifecycleStatements.update([.init(race: race, status: .ended)]),
        SettlementStatements.lock(request, job: "a"), SettlementStatements.lockOne(1),
        SettlementStatements.dueNow(1, now: now), SettlementStatements.hash(of: settled[0].race),
        SettlementGather.races(ids, inAnyStatus: false), SettlementGather.races(ids, inAnyStatus: true),
        SettlementGather.entries(ids), SettlementGather.candidates(ids),
        ApplyStatements.wait(1, until: now, for: ids), ApplyStatements.lockWallets(ids),
        ApplyStatements.entries(settled[0].result.ranking, isVoid: [false, false, false]),
        ApplyStatements.journals([journal], at: now), ApplyStatements.postings([credit], [journal]),
        ApplyStatements.wallets([credit]), ApplyStatements.settlements(settled, at: now),
        ApplyStatements.payouts(settled[0].result.payouts.map { (1, $0) }), ApplyStatements.races(ids),
        ApplyStatements.events(settled, at: now),
      ]
        + [
          ValidationStatements.nextDue(job: "a"), ValidationStatements.schedule,
          LifecycleStatements.nextDue(job: "a"), LifecycleStatements.schedule,
          SettlementStatements.nextDue(job: "a"), SettlementStatements.schedule,
        ].map { Statement(raw: $0) }
    }
  }

  /// `EXPLAIN` plans a statement and checks its rights, and does not carry it out.
  @Test("fits the schema, and the daemon may carry it out")
  func planned() async throws {
    let database = try await SettledDatabase.simulated()
    let daemon = try await database.connect(.daemon)
    for statement in try Self.statements {
      do {
        _ = try await daemon.query("EXPLAIN \(fragment: statement)")
      } catch {
        Issue.record("\(error): \(statement.sql)")
      }
    }
  }
}
