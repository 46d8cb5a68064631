/// Why there is no answer.
package struct ControlClientError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// No process listens at the path, or it does not exist.
    case unreachable
    /// The socket is there, and this user may not open it.
    case denied
    /// The daemon accepted the request and did not answer in time: whether it ran is unknown.
    case noAnswer
    /// The answer is not HTTP, or is too large.
    case malformed
  }

  package let code: Code
  package let path: String
  package let reason: String

  package init(_ code: Code, path: String, _ reason: String) {
    self.code = code
    self.path = path
    self.reason = reason
  }

  package var description: String {
    switch code {
    case .unreachable: "the daemon is not reachable at \(path): \(reason)"
    case .denied: "\(path): \(reason)"
    case .noAnswer: "no answer at \(path): \(reason)"
    case .malformed: "the response from \(path) is not from settled: \(reason)"
    }
  }
}
