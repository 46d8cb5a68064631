import Postgres
import Synchronization

/// The right of one daemon to a node's name: a session's advisory lock on the connection that listens.
///
/// It ends with the connection, so that a killed node starts again at once, and moves with it to a new primary. Through
/// a proxy that pools transactions there is no such lock: then two daemons of one name are only noticed (`noteSharing`).
final class NodeName: Sendable {
  private enum Claim {
    case open
    case held
    /// No lock can be had: the back end is not this connection's own.
    case unprovable
    case taken(String)
  }

  private struct State {
    var claim = Claim.open
    /// The back end of the last connection that held the lock: its session may outlive it on the server.
    var lastBackend: Int32?
    var startedAt: Timestamp?
    var isShared = false
  }

  /// How long the session of a node that was killed is waited for.
  private static let patience: Duration = .seconds(3)

  private let node: String
  private let ownsSessions: Bool
  private let time: Timekeeper
  private let state = Mutex(State())

  /// `ownsSessions` is false where a proxy is known to pool transactions.
  init(_ node: String, ownsSessions: Bool = true, time: Timekeeper) {
    self.node = node
    self.ownsSessions = ownsSessions
    self.time = time
  }

  var isOpen: Bool {
    state.withLock { if case .open = $0.claim { true } else { false } }
  }

  /// The refusal, once another daemon is known to hold the name.
  var refusal: EngineError? {
    state.withLock { state in
      if case .taken(let text) = state.claim { EngineError(.nameTaken, text) } else { nil }
    }
  }

  /// Claims the name on a new connection; yields who holds it where that is another daemon.
  func claim(on connection: Connection) async throws(PostgresError) -> String? {
    guard ownsSessions else { return note(.unprovable, backend: nil) }
    let start = time.now()
    while true {
      let statement = NodeStatements.claim(node: node, backend: connection.backendPID)
      let isFree: Bool? = try await connection.query(statement).one(Bool?.self)
      guard let isFree else { return note(.unprovable, backend: nil) }
      if isFree { return note(.held, backend: connection.backendPID) }
      let holder = try await connection.query(NodeStatements.holder(node: node))
        .first(Int32.self, String.self, Timestamp.self)
      if let (backend, place, since) = holder {
        if state.withLock({ $0.lastBackend == backend }) {
          // Our own session before this one, which the server has not missed yet.
          try await connection.execute("SELECT pg_terminate_backend(\(backend))")
        } else if time.now() - start >= Self.patience {
          return note(
            .taken(
              "another daemon runs as node \(node): it is connected from \(place) since \(since); "
                + "give each its own name (key node), or stop that one"), backend: nil)
        }
      }
      guard (try? await time.sleep(.milliseconds(20))) != nil else {
        throw PostgresError(.cancelled, "stopped while the node's name was claimed")
      }
    }
  }

  private func note(_ claim: Claim, backend: Int32?) -> String? {
    state.withLock { state in
      state.claim = claim
      state.lastBackend = backend
      if case .taken(let text) = claim { return text }
      return nil
    }
  }

  var isRegistered: Bool { state.withLock { $0.startedAt != nil } }

  func registered(at start: Timestamp) {
    state.withLock { $0.startedAt = start }
  }

  /// Takes note of what the node's row says: whether another daemon registered under the name since this one did; nil
  /// where nothing is new.
  func noteSharing(startedAt: Timestamp?) -> Bool? {
    state.withLock { state in
      var isShared = state.startedAt != nil && startedAt != state.startedAt
      if case .held = state.claim { isShared = false }
      guard isShared != state.isShared else { return nil }
      state.isShared = isShared
      return isShared
    }
  }
}
