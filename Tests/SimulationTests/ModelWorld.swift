import Postgres
import TestSupport

@testable import Simulation

/// The model's side of a history: a value, so that the generator tries acts on a copy.
struct ModelWorld {
  static let deadlockTimeout: Duration = .milliseconds(1)
  static let lockTimeout: Duration = .milliseconds(30)

  private(set) var model: DatabaseModel
  private(set) var sessions: [Slot: SessionID] = [:]
  private var running: [Slot: DatabaseModel.Statement] = [:]
  /// The items that a slot's transaction has claimed.
  private(set) var claimed: [Slot: (job: String, keys: [Int64])] = [:]

  /// Whose transactions have looked at the list of sessions.
  private(set) var hasLooked: Set<Slot> = []

  init() {
    let start = Beginning.clock
    model = DatabaseModel(time: start, simulatedClock: start, deadlockTimeout: Self.deadlockTimeout)
    for job in Beginning.jobs {
      for key in Beginning.keys {
        let dueAt = Instant.hour(Beginning.hour(of: key))
        model.insert(.item(job: job, key: key), .item(Content.Item(dueAt: dueAt)))
      }
    }
    for key in Beginning.resources { model.insert(.resource(key), .resource(0)) }
    let seenAt = Timestamp(microseconds: start.microseconds - Beginning.silence.microseconds)
    var silent = Content.Node(state: "ready", startedAt: seenAt, seenAt: seenAt)
    silent.needsNotify = true
    model.insert(.node(Beginning.silentNode), .node(silent))
    for slot in Slot.allCases { sessions[slot] = model.connect(node: slot.node) }
  }

  func session(_ slot: Slot) -> SessionID { sessions[slot] ?? SessionID(number: 0) }

  func state(_ slot: Slot) -> SessionState { model.sessions[session(slot)] ?? SessionState(node: "") }

  func slot(of session: SessionID) -> Slot? { sessions.first { $0.value == session }?.key }

  /// An item that a slot's transaction has deleted.
  func deleted(by slot: Slot) -> RowID? {
    state(slot).transaction.held.first { id in
      guard case .item = id, case .deleted = model.rows[id]?.change else { return false }
      return true
    }
  }

  func hasWrittenNode(_ slot: Slot) -> Bool {
    state(slot).transaction.held.contains { id in
      guard case .node = id else { return false }
      return model.rows[id]?.change != nil
    }
  }

  var waiting: [Slot] { Slot.allCases.filter { model.isWaiting(session($0)) } }

  func blockers(of slot: Slot) -> [Slot] { model.blockers(of: session(slot)).compactMap(self.slot).sorted() }

  /// Runs one act; returns how it ends, and what it lets end.
  mutating func apply(_ act: Act) -> [Slot: String] {
    model.leftOrderOpen = false
    let slot = act.slot
    var outcomes: [Slot: String] = [:]
    switch act {
    case .begin:
      model.begin(session(slot))
      claimed[slot] = nil
      hasLooked.remove(slot)
      outcomes[slot] = "done"
    case .commit: outcomes[slot] = text(model.commit(session(slot)))
    case .rollback:
      model.rollback(session(slot))
      outcomes[slot] = "done"
    case .run(_, let statement): outcomes[slot] = run(statement, slot)
    case .runImpatiently(_, let statement):
      _ = model.execute(.lockTimeout(Self.lockTimeout), in: session(slot))
      outcomes[slot] = run(statement, slot)
      pass(.milliseconds(100))
    case .cancel: model.cancel(session(slot))
    case .lose: replace(slot)
    case .loseCommit:
      _ = model.commit(session(slot))
      replace(slot)
    }
    pass(.milliseconds(100))
    for (session, outcome) in model.takeResumed() {
      guard let slot = self.slot(of: session) else { continue }
      outcomes[slot] = text(outcome, of: running[slot], slot)
    }
    if case .runImpatiently = act, state(slot).block == .open {
      _ = model.execute(.lockTimeout(nil), in: session(slot))
    }
    pass(.seconds(1))
    return outcomes
  }

  mutating func takeNotifications(_ slot: Slot) -> [String] {
    model.takeNotifications(session(slot)).map { note in
      "\(note.payload) of \(self.slot(of: note.sender).map { "\($0)" } ?? "a session that has ended")"
    }
  }

  /// All committed rows, as `ServerWorld.rows`.
  var rows: [String] {
    model.rows.committed.map { id, content in
      switch content {
      case .item(let item):
        "\(id.job) \(id.key) \(item.dueAt.microseconds / 1_000_000) \(item.isDone ? "t" : "f") \(item.served)"
      case .resource(let value): "resource \(id.key) \(value)"
      case .failure(let failure):
        "failure \(id.job) \(id.key) \(failure.attempts) \(failure.isQuarantined ? "t" : "f")"
      case .lease(let lease): "lease \(id.job) \(id.key) \(lease.owner) \(lease.generation)"
      case .node(let node):
        """
        node \(id.text) \(node.state) \(node.needsNotify ? "t" : "f") \(node.beats) \
        \(node.holder == nil ? "f" : "t")
        """
      case .pause(let isPaused): "pause \(id.job) \(isPaused ? "t" : "f")"
      case .clockStop(let stop):
        """
        stop \(id.text) \(stop.difference.components.seconds * 1000) \(stop.isLifted ? "t" : "f") \
        \(stop.isAccepted ? "t" : "f")
        """
      case .restoration(let jobs): "restoration \(id.text) \(jobs.sorted().joined(separator: ","))"
      case .clock(let instant): "clock \((instant?.microseconds ?? 0) / 1_000_000)"
      }
    }.sorted()
  }

  private mutating func replace(_ slot: Slot) {
    model.lose(session(slot))
    claimed[slot] = nil
    sessions[slot] = model.connect(node: slot.node)
  }

  private mutating func run(_ statement: DatabaseModel.Statement, _ slot: Slot) -> String {
    running[slot] = statement
    if case .takeName = statement, state(slot).block == .open { hasLooked.insert(slot) }
    return text(model.execute(statement, in: session(slot)), of: statement, slot)
  }

  private mutating func pass(_ span: Duration) { model.advance(to: model.time.after(span)) }

  private mutating func text(
    _ outcome: DatabaseModel.Outcome, of statement: DatabaseModel.Statement? = nil, _ slot: Slot? = nil
  ) -> String {
    switch outcome {
    case .waits: return "waits"
    case .failed(let sqlState): return "failed \(sqlState)"
    case .done(let answer):
      guard let statement, let slot else { return "done" }
      if case .claim(let claim) = statement, claim.mode != .peek, state(slot).block == .open {
        claimed[slot] = (claim.job, answer.keys)
      }
      return "done \(statement.text(of: answer, at: model.now))"
    }
  }
}

extension Duration {
  var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
