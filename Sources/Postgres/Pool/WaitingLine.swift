/// The callers that wait for a connection, in order of arrival.
struct WaitingLine {
  /// The grant for the first in the queue.
  enum Grant: Sendable {
    case connection(Connection)
    /// The right to open one.
    case slot
  }

  typealias Answer = CheckedContinuation<Result<Grant, PostgresError>, Never>

  let limit: Int
  let timeout: Duration
  private var waiting: [(ticket: Int, answer: Answer)] = []
  private var tickets = 0

  init(limit: Int, timeout: Duration) {
    self.limit = limit
    self.timeout = timeout
  }

  var count: Int { waiting.count }
  var isEmpty: Bool { waiting.isEmpty }

  /// Nil when the queue is full.
  mutating func makeTicket() -> Int? {
    guard waiting.count < limit else { return nil }
    tickets += 1
    return tickets
  }

  mutating func enter(_ ticket: Int, _ answer: Answer) {
    waiting.append((ticket, answer))
  }

  mutating func leave(_ ticket: Int, _ error: PostgresError) {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
    waiting.remove(at: index).answer.resume(returning: .failure(error))
  }

  /// Gives the first in the queue what has become free; false when nobody waits.
  mutating func admit(_ grant: Grant) -> Bool {
    guard !waiting.isEmpty else { return false }
    waiting.removeFirst().answer.resume(returning: .success(grant))
    return true
  }

  mutating func refuseAll(_ error: PostgresError) {
    for entry in waiting { entry.answer.resume(returning: .failure(error)) }
    waiting = []
  }
}
