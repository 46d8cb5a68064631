/// Why the dashboard cannot be served.
package struct RelayError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable {
    /// The port or path is in use.
    case inUse
    /// An option or the environment does not allow it.
    case usage
    /// ssh, the system or the daemon refuses.
    case unavailable
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
