import Postgres
import Synchronization

/// The right of one daemon to a node's name: a row that names the listening session.
///
/// It ends with that session, so that a killed node can restart immediately, and moves with the daemon to a new
/// primary. Through a proxy that pools transactions no session is the daemon's own: then two daemons with one name are
/// only noticed (`noteSharing`).
final class NodeName: Sendable {
  /// A session on the server: process ids are reused, so its start identifies it.
  struct Backend: Sendable, Equatable {
    let pid: Int32
    let start: Timestamp
  }

  private enum Claim {
    case open
    case owned
    /// No session can hold it: the back end does not belong to this connection.
    case unprovable
    case taken(String)
  }

  private struct State {
    var claim = Claim.open
    /// The last session that held the name: it may outlive its connection on the server.
    var last: Backend?
    var awaited: String?
    var startedAt: Timestamp?
    var isShared = false
  }

  /// How long to wait for the session of a killed node.
  private static let timeout: Duration = .seconds(3)
  private static let backoff = Backoff(first: .milliseconds(50), factor: 2, longest: .seconds(1))

  private let node: String
  private let time: Timekeeper
  private let observe: @Sendable (Observation) -> Void
  private let state = Mutex(State())

  init(
    _ node: String, time: Timekeeper,
    observe: @escaping @Sendable (Observation) -> Void = { _ in }
  ) {
    self.node = node
    self.time = time
    self.observe = observe
  }

  var isOpen: Bool {
    state.withLock { if case .open = $0.claim { true } else { false } }
  }

  /// The error, once another daemon is known to hold the name.
  var refusal: EngineError? {
    state.withLock { state in
      if case .taken(let text) = state.claim { EngineError(.nameTaken, text) } else { nil }
    }
  }

  /// Claims the name on a new connection; returns the holder if it is another daemon.
  ///
  /// A live holder is checked a few times within three seconds. If the row stays locked, the listener waits for it and
  /// reconnects after growing pauses.
  func claim(on connection: Connection) async throws(PostgresError) -> String? {
    let start = time.now()
    var attempts = 0
    while true {
      let (isOwn, taken, holder) = try await attempt(connection)
      guard isOwn else { return note(.unprovable) }
      let last = state.withLock { $0.last }
      if let taken {
        if let last { try await connection.execute(NodeStatements.end(last)) }
        return note(.owned, taken)
      }
      attempts += 1
      let text = "another daemon is running as node \(node): it is connected from \(holder)"
      guard time.now() - start < Self.timeout else {
        return note(.taken("\(text); give each daemon a unique name (node key), or stop the other one"))
      }
      wait(for: text)
      let pause = Self.backoff.delay(afterAttempts: attempts, draw: time.draw())
      guard (try? await time.sleep(pause)) != nil else {
        throw PostgresError(.cancelled, "stopped while the node's name was being claimed")
      }
    }
  }

  /// Whether the session belongs to this connection, which session holds the name now, and where the previous one is.
  private func attempt(_ connection: Connection) async throws(PostgresError) -> (Bool, Backend?, String) {
    let last = state.withLock { $0.last }
    let statements = NodeStatements.claim(node: node, backend: connection.backendPID, last: last)
    do {
      let replies = try await connection.pipeline(statements)
      guard let reply = replies.last else { return (false, nil, "") }
      return try reply.decodeOne { (row) throws(PostgresError) in
        let start: Timestamp? = try row["start"]
        let (place, since): (String, Timestamp?) = (try row["place"], try row["since"])
        let holder = since.map { "\(place) since \($0)" } ?? place
        return (try row["is_own"], start.map { Backend(pid: connection.backendPID, start: $0) }, holder)
      }
    } catch {
      if error.verdict == .contention {
        let pids = try await connection.query(NodeStatements.lockers).one([Int32].self)
        wait(for: "its row is locked by sessions with these PIDs: \(pids.map(String.init).joined(separator: ", "))")
      }
      throw error
    }
  }

  /// Reports the daemon that holds the name, if it has changed.
  private func wait(for text: String?) {
    let isNews = state.withLock { state in
      defer { state.awaited = text }
      return state.awaited != text
    }
    if isNews { observe(.nameAwaited(text)) }
  }

  private func note(_ claim: Claim, _ backend: Backend? = nil) -> String? {
    wait(for: nil)
    return state.withLock { state in
      state.claim = claim
      state.last = backend
      if case .taken(let text) = claim { return text }
      return nil
    }
  }

  /// A proxy is known to pool transactions: no session can hold the name.
  func leaveUnproven() {
    _ = note(.unprovable)
  }

  var isRegistered: Bool { state.withLock { $0.startedAt != nil } }

  func registered(at start: Timestamp) {
    state.withLock { $0.startedAt = start }
  }

  /// Records the state of the node's row: whether another daemon registered under the name since this one did; nil if
  /// nothing changed.
  func noteSharing(startedAt: Timestamp?) -> Bool? {
    state.withLock { state in
      var isShared = state.startedAt != nil && startedAt != state.startedAt
      if case .owned = state.claim { isShared = false }
      guard isShared != state.isShared else { return nil }
      state.isShared = isShared
      return isShared
    }
  }
}
