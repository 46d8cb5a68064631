import Postgres
import Simulation
import TestSupport

@testable import Engine

/// A statement of the model as the product sends it, and what of its answer both sides must agree on.
struct Translation: Sendable {
  let statement: Statement
  let text: @Sendable (Rows) throws -> String

  init(_ statement: Statement, _ text: @escaping @Sendable (Rows) throws -> String = { "\($0.affected) rows" }) {
    self.statement = statement
    self.text = text
  }
}

/// The jobs of the history, whose sources make the product's polls and claims.
struct Translator: Sendable {
  private let works: [any Work]
  private let sources: [String: DueSource]
  private let policy: RetryPolicy

  init(_ context: JobContext) {
    let (chore, errand) = (HistoryChore(), HistoryErrand())
    works = [JobRunner(chore, in: context), LeasedRunner(errand, in: context)]
    sources = [chore.name: chore.source, errand.name: errand.source]
    var policy = RetryPolicy()
    policy.backoff = Backoff(first: .seconds(1300), factor: 3, longest: .seconds(6700))
    policy.attemptsMax = 3
    self.policy = policy
  }

  func callAsFunction(_ statement: DatabaseModel.Statement, backend: Int32) -> Translation {
    reading(statement) ?? ofItem(statement) ?? ofFailure(statement) ?? ofLease(statement)
      ?? ofNode(statement, backend) ?? ofGate(statement) ?? ofSession(statement) ?? Translation("SELECT 1/0")
  }

  private func reading(_ statement: DatabaseModel.Statement) -> Translation? {
    switch statement {
    case .poll: Translation(DueSnapshot.statement(of: works), Self.poll)
    case .gate(let job, let ignores):
      Translation(ClaimGate.entry(job, ignoresClockStop: ignores)) {
        "\(try $0.one(Timestamp.self, Bool.self, Timestamp.self).1)"
      }
    case .suspects(let job):
      Translation(FailureStatements.suspects(job: job)) {
        "\(try $0.decode(String.self, Bool.self).map { "\($0) \($1)" })"
      }
    case .untilNext(let job):
      Translation(sources[job]?.untilNext(job: job) ?? "SELECT 1/0") {
        "\(String(describing: try $0.one(Int64?.self, Timestamp.self).0.map { $0 / 900_000_000 }))"
      }
    case .leases(let job):
      Translation(LeaseStatements.standing(job: job)) {
        "\(try $0.decode(Int64.self, String.self).sorted { $0.0 < $1.0 }.map { "\($0) \($1)" })"
      }
    default: nil
    }
  }

  private static func poll(_ rows: Rows) throws -> String {
    let snapshot = try DueSnapshot(rows)
    let found = try rows.decodeAll { (row) throws(PostgresError) in
      (name: try row["name"] as String, dueAt: try row["due_at"] as Timestamp?, dueIn: try row["due_in"] as Int64?)
    }
    let jobs = found.sorted { $0.name < $1.name }.map { found in
      let item = snapshot.items[found.name]
      return PolledText(
        name: found.name, business: found.dueAt.map { $0.since(snapshot.now) },
        following: item?.following?.since(snapshot.now), dueIn: found.dueIn.map { .microseconds($0) },
        failing: item?.failing ?? -1,
        quarantined: item?.quarantined ?? -1, isPaused: item?.isPaused ?? false,
        awaitsAcceptance: item?.awaitsAcceptance ?? false
      ).text
    }
    let stops = snapshot.clocks.stops.filter(\.bindsAll).map(\.node).sorted()
    return """
      \(jobs) at \(snapshot.now), stopped by \(stops), nodes \(snapshot.nodes) \
      \(snapshot.leavesWakeUpsOut)
      """
  }

  private func ofItem(_ statement: DatabaseModel.Statement) -> Translation? {
    switch statement {
    case .claim(let claim):
      guard let source = sources[claim.job] else { return nil }
      let mode: LockRequest<Int64>.Mode =
        switch claim.mode {
        case .skipLocked: .skipLocked
        case .wait: .wait
        case .peek: .peek
        }
      let request = LockRequest(
        limit: claim.limit, mode: mode, only: claim.only, except: claim.except.sorted(),
        among: claim.among?.sorted(), leased: claim.isLeased)
      return Translation(source.lock(request, job: claim.job)) { "\(try $0.decode(Int64.self))" }
    case .finish(let job, let keys):
      return Translation(
        "UPDATE public.\(raw: job) SET done = true, served = served + 1 WHERE id = ANY(\(keys))")
    case .schedule(let job, let key, let dueAt):
      return Translation(
        """
        INSERT INTO public.\(raw: job) AS t (id, due_at) VALUES (\(key), \(dueAt))
        ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, done = false
        """)
    case .remove(let job, let key): return Translation("DELETE FROM public.\(raw: job) WHERE id = \(key)")
    case .lockResources(let keys):
      return Translation("SELECT id FROM public.resource WHERE id = ANY(\(keys)) ORDER BY id FOR NO KEY UPDATE")
    case .add(let amount, let key):
      return Translation("UPDATE public.resource SET value = value + \(amount) WHERE id = \(key)")
    default: return nil
    }
  }

  private func ofFailure(_ statement: DatabaseModel.Statement) -> Translation? {
    switch statement {
    case .recordFailure(let job, let keys, let counted, _):
      Translation(
        FailureStatements.record(
          job: job, keys: keys.map(\.description), error: FailureText(text: "failed"), counted: counted,
          policy: policy)
      ) { "\(try $0.decode(Int64.self, Bool.self).map { "\($0) \($1)" })" }
    case .uncountFailures(let job, let keys, _):
      Translation(FailureStatements.uncount(job: job, keys: keys.map(\.description), policy: policy)) { _ in "" }
    case .clearFailures(let job, let keys):
      Translation(FailureStatements.clear(job: job, keys: keys.map(\.description)))
    case .recordDelay(let job, let key):
      Translation(FailureStatements.recordDelay(job: job, key: key.description, error: FailureText(text: "waits")))
    case .endBackoff(let job, let key):
      Translation(
        "UPDATE settled.failure SET next_attempt_at = last_at WHERE job = \(job) AND key = \(key.description)")
    default: nil
    }
  }

  private func ofLease(_ statement: DatabaseModel.Statement) -> Translation? {
    switch statement {
    case .takeLeases(let job, let keys, let owner):
      Translation(LeaseStatements.take(job: job, keys: keys.map(\.description), owner: owner)) {
        "\(try $0.decode(String.self, Int64.self).map { "\($0) \($1)" })"
      }
    case .lockLease(let job, let key, let generation):
      Translation(LeaseStatements.lock(job: job, generation: Int64(generation), key: key.description))
    case .giveBack(let job, let generations):
      Translation(LeaseStatements.giveBack(job: job, generations: generations.map { Int64($0) }))
    case .takeAway(let job, let generations):
      Translation(LeaseStatements.takeAway(job: job, generations: generations.map { Int64($0) })) {
        "\(try $0.decode(String.self).compactMap { Int64($0) }.sorted())"
      }
    default: nil
    }
  }

  private func ofNode(_ statement: DatabaseModel.Statement, _ backend: Int32) -> Translation? {
    switch statement {
    case .addNode(let node): Translation(NodeStatements.claim(node: node, backend: backend, last: nil)[1])
    case .lockNode(let node): Translation(NodeStatements.claim(node: node, backend: backend, last: nil)[2])
    case .takeName(let node, _):
      Translation(NodeStatements.claim(node: node, backend: backend, last: nil)[3]) { rows in
        "\(try rows.decodeAll { (row) throws(PostgresError) in try row["start"] as Timestamp? }.contains { $0 != nil })"
      }
    case .register(let node):
      Translation(NodeStatements.register(node: node, version: "v", hasProvider: false)) {
        "\(try $0.one(Bool.self, Timestamp.self).0)"
      }
    case .beat(let node, let state, let needsNotify):
      Translation(NodeStatements.beat(node: node, state: state, needsNotify: needsNotify))
    case .setNeedsNotify(let node, let needsNotify):
      Translation(NodeStatements.setNeedsNotify(node: node, needsNotify))
    case .stopNode(let node): Translation(NodeStatements.stop(node: node))
    default: nil
    }
  }

  private func ofGate(_ statement: DatabaseModel.Statement) -> Translation? {
    switch statement {
    case .pause(let job, let isPaused):
      Translation(
        """
        INSERT INTO settled.job (name, paused) VALUES (\(job), \(isPaused))
        ON CONFLICT (name) DO UPDATE SET paused = excluded.paused
        """)
    case .stopClock(let node, let difference, _):
      Translation(ClockStatements.stop(node: node, bootId: "boot", difference: difference, agreed: 0)) { _ in "" }
    case .liftClockStop(let node): Translation(ClockStatements.lift(node: node))
    case .releaseClock(let node): Translation(ClockStatements.release(node: node))
    case .acceptClockStops: ClockStatements.accept.last.map { Translation($0) }
    case .stopJobs(let node, let jobs):
      Translation(RestoreStatements.stop(node: node, timeline: 1, finding: "lost commits", jobs: jobs.sorted()))
    case .acceptRestoration: Translation(RestoreStatements.accept)
    case .setClock(let instant): Translation("SELECT settled.set_clock(\(instant))") { _ in "" }
    default: nil
    }
  }

  private func ofSession(_ statement: DatabaseModel.Statement) -> Translation? {
    switch statement {
    case .listen: Translation("LISTEN \(raw: Scheduler.channel.quotedIdentifier)") { _ in "" }
    case .notify(let payload): Translation("SELECT settled.notify(\(payload))") { _ in "" }
    // Both sides compare the ids after each act.
    case .transactionID: Translation(NodeStatements.transactionID) { _ in "" }
    default: nil
    }
  }
}

/// A job whose items are rows of `public.chore`: only its source is used here.
private struct HistoryChore: TwoStepJob {
  let name = "chore"
  let largestBatch = 1
  let usesLanes = true
  let source = DueSource("public.chore", key: "id", [.init(at: "t.due_at", where: "NOT t.done")])

  func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] { keys }
  func key(of chore: Int64) -> Int64 { chore }
  func apply(_ chores: [Int64], at now: Timestamp, in transaction: Transaction) async throws {}
}

/// The same with leases.
private struct HistoryErrand: LeasedJob {
  let name = "errand"
  let limits = LeaseLimits(
    call: Beginning.leaseOverdue - .seconds(1), lease: Beginning.leaseOverdue * 3)
  let source = DueSource("public.errand", key: "id", [.init(at: "t.due_at", where: "NOT t.done")])

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] { keys }
  func key(of errand: Int64) -> Int64 { errand }
  func call(_ errand: Int64, under lease: Int64) async throws -> Int64 { errand }
  func apply(_ reply: Int64, to errand: Int64, at now: Timestamp, in transaction: Transaction) async throws {}
  func applyLate(_ reply: Int64, to errand: Int64, at now: Timestamp, in transaction: Transaction) async throws {}
}
