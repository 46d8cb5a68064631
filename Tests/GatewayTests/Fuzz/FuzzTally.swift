import Synchronization
import TestSupport

/// The outcomes of requests.
final class FuzzTally: Sendable {
  struct Counts: Sendable {
    var statuses: [Int: Int] = [:]
    /// By operation.
    var succeeded: [String: Int] = [:]
    /// By operation, the latest answer that was no success.
    var refusals: [String: String] = [:]
    /// The first of each kind, so many at most.
    var failures: [String] = []
    fileprivate var kinds: Set<String> = []
  }

  private static let failuresMax = 20

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func note(_ operation: String, _ reply: Reply, isTame: Bool) {
    state.withLock { counts in
      counts.statuses[reply.status, default: 0] += 1
      if reply.status < 300 {
        counts.succeeded[operation, default: 0] += 1
      } else if isTame {
        counts.refusals[operation] = reply.body
      }
    }
  }

  func add(_ problems: [String], _ request: WildRequests.Request, _ number: Int) {
    state.withLock { counts in
      for problem in problems where counts.failures.count < Self.failuresMax {
        guard counts.kinds.insert(request.operation.id + problem.prefix(40)).inserted else { continue }
        let text = String(decoding: request.bytes.prefix(1500), as: UTF8.self)
        counts.failures.append("request \(number): \(problem)\n\(text)")
      }
    }
  }
}
