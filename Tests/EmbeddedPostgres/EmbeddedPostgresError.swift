/// Why a private cluster did not start or stop.
package struct EmbeddedPostgresError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The server's programs are not installed.
    case missing
    /// initdb or the server refused.
    case failed
    /// It has been stopped before.
    case stopped
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { "\(code.rawValue): \(message)" }
}
