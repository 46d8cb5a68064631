/// The values that client and server share.
package enum ControlDefaults {
  package static let controlSocket = "/run/settled/control.sock"
  package static let healthSocket = "/run/settled/health.sock"
  /// Names the control socket for settlectl.
  package static let socketVariable = "SETTLED_CONTROL_SOCKET"

  /// The header that makes a request safe to repeat.
  package static let requestIdHeader = "X-Request-Id"
  package static let requestIdCharactersMax = 200

  /// Whether a text may be a request id: 1 to 200 visible ASCII characters.
  package static func isRequestId(_ text: String) -> Bool {
    (1...requestIdCharactersMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }
}
