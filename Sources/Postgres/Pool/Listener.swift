/// Listens on channels with its own connection, until cancelled.
///
/// Notifications that were sent while there was no connection are lost: a listener reads everything after
/// each `.listening`. A connection that is silent for `ping` must make a round trip within 10 s, else it is lost.
package struct Listener: Sendable {
  package enum Event: Sendable, Hashable {
    /// Connected, and subscribed to all channels; also after notifications had to be dropped.
    case listening(backendPID: Int32)
    case notification(Notification)
    /// The connection is lost, or could not be made; the next attempt follows after a pause.
    case lost(PostgresError)
    /// The greeting refused a new connection, with the reason; the sequence ends.
    case refused(String)
  }

  static let pingLimit: Duration = .seconds(10)

  /// How many events may wait for a slow reader.
  static let bufferMax = 4096

  private let options: ConnectionOptions
  private let channels: [String]
  private let ping: Duration

  /// The check of each new connection before it listens; a text ends the sequence.
  package var greeting: @Sendable (Connection) async throws(PostgresError) -> String? = { _ in nil }

  package init(options: ConnectionOptions, channels: [String], ping: Duration = .seconds(60)) {
    self.options = options
    self.channels = channels
    self.ping = ping
  }

  /// The events, from a new connection that lives until the sequence is dropped or the reader's task is cancelled.
  package var events: AsyncStream<Event> {
    AsyncStream(bufferingPolicy: .bufferingOldest(Self.bufferMax)) { continuation in
      let task = Task {
        var backoff = Pauses(.connecting)
        while !Task.isCancelled {
          do throws(PostgresError) {
            if let reason = try await listen(continuation, { backoff.succeed() }) {
              continuation.yield(.refused(reason))
              break
            }
          } catch {
            if Task.isCancelled { break }
            continuation.yield(.lost(error))
            try? await Task.sleep(for: backoff.fail())
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// One connection from its beginning to its end; returns why it was refused.
  private func listen(
    _ events: AsyncStream<Event>.Continuation, _ connected: () -> Void
  ) async throws(PostgresError) -> String? {
    let connection = try await Connection.connect(options)
    do {
      if let reason = try await greeting(connection) {
        await connection.close()
        return reason
      }
      _ = try await connection.pipeline(channels.map { Statement(raw: "LISTEN \($0.quotedIdentifier)") })
      connected()
      var owesListening = true
      while true {
        if owesListening { owesListening = !events.accepts(.listening(backendPID: connection.backendPID)) }
        let notes = try await connection.notifications(until: .now + ping)
        for note in notes where !events.accepts(.notification(note)) { owesListening = true }
        if notes.isEmpty { try await connection.check(within: Self.pingLimit) }
      }
    } catch {
      await connection.close()
      throw error
    }
  }
}

extension AsyncStream<Listener.Event>.Continuation {
  /// False when the reader is too slow and the event was dropped.
  fileprivate func accepts(_ event: Listener.Event) -> Bool {
    if case .dropped = yield(event) { false } else { true }
  }
}

extension String {
  /// The text as an identifier in SQL.
  package var quotedIdentifier: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
