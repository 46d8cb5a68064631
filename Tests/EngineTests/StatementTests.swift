@testable import Engine
import Postgres
import TestSupport
import Testing

@Suite("Every statement of the engine")
struct StatementTests {
  private static var statements: [Statement] {
    let now = Timestamp(microseconds: 0)
    let text = FailureText(text: "x")
    let policy = RetryPolicy()
    let baseline = ClockBaseline(bootId: "b", boot: .zero, database: now)
    let history = KeptHistory(installation: "i", node: "n", beats: 1, timeline: 1, at: now, marks: ["event": "1"])
    let backend = NodeName.Backend(pid: 1, start: now)
    return [
      ProblemStatements.state("a", "b"), ProblemStatements.solve("a"),
      "SELECT \(raw: ProblemStatements.standing)",
      EventStatements.emit(topic: "t", keys: ["k"], payloads: ["{}"], at: now),
      FailureStatements.record(job: "a", keys: ["1"], error: text, counted: false, policy: policy),
      FailureStatements.record(job: "a", keys: ["1"], error: text, counted: true, policy: policy),
      FailureStatements.uncount(job: "a", keys: ["1"], policy: policy), FailureStatements.suspects(job: "a"),
      FailureStatements.recordDelay(job: "a", key: "1", error: FailureText(text: "x")),
      FailureStatements.clear(job: "a", keys: ["1"]),
      FailureStatements.pruneResolvedFailures(job: "a", schedule: "SELECT 1 AS key1, now() AS due_at", key: Int64.self),
      LeaseStatements.take(job: "a", keys: ["1"], owner: "o"), LeaseStatements.lock(job: "a", generation: 1, key: "1"),
      LeaseStatements.giveBack(job: "a", generations: [1]), LeaseStatements.takeAway(job: "a", generations: [1]),
      LeaseStatements.standing(job: "a"),
      ClockStatements.meeting(node: "n"), Statement(raw: ClockStatements.record),
      ClockStatements.establish(baseline, node: "n"), ClockStatements.remember(baseline, node: "n"),
      ClockStatements.forget(node: "n"), ClockStatements.release(node: "n"), ClockStatements.lift(node: "n"),
      ClockStatements.stop(node: "n", bootId: "b", difference: .seconds(1), agreed: 1), ClockStatements.standing,
      Scheduler.wakeUp, LockHolders.named("ARRAY[1]"), MigrationLocks.shorten("lock_timeout", to: .seconds(1)),
      NodeStatements.register(node: "n", version: "v", hasProvider: true),
      NodeStatements.beat(node: "n", state: "ready", needsNotify: true),
      NodeStatements.transactionID, NodeStatements.setNeedsNotify(node: "n", true), NodeStatements.stop(node: "n"),
      NodeStatements.end(backend), NodeStatements.lockers,
      RestoreStatements.facts(node: "n", [.event], holding: ["event": "1"]), RestoreStatements.isAccepted(since: now),
      RestoreStatements.accept,
      RestoreStatements.stop(node: "n", timeline: 1, finding: "f", jobs: ["j"]), RestoreStatements.standing,
      RestoreStatements.stops("j"), RestoreStatements.setHome, RestoreStatements.doubtHome, RestoreStatements.home,
      RestoreStatements.isElsewhere,
      RestoreStatements.fork, RestoreStatements.installation, RestoreStatements.silentNodes("n"),
      RestoreStatements.timeline, RestoreStatements.present(node: "n", [.event]),
      RestoreStatements.newest([.event], after: history),
      HistoryMark.event.holds("1"),
      HistoryMark.event.resume?("1") ?? "SELECT",
      CatalogueStatements.schemas, CatalogueStatements.sequences, CatalogueStatements.types, CatalogueStatements.tables,
      CatalogueStatements.columns, CatalogueStatements.constraints, CatalogueStatements.indexes,
      CatalogueStatements.views, CatalogueStatements.functions, CatalogueStatements.triggers, CatalogueStatements.rules,
      CatalogueStatements.policies,
    ] + NodeStatements.claim(node: "n", backend: 1, last: backend) + acceptance
  }

  /// A lock has no plan; ClockStopTests take it.
  private static var acceptance: [Statement] {
    let statements = ClockStatements.accept
    return statements.filter { !$0.sql.hasPrefix("LOCK TABLE") }
  }

  @Test func `every statement of the engine fits the schema and the daemon's privileges`() async throws {
    #expect(try await SettledDatabase.planErrors(Self.statements) == [])
  }
}
