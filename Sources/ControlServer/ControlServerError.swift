/// Why the sockets cannot be served.
package struct ControlServerError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// A live process serves the path: exit 75, and neither socket is touched.
    case inUse
    /// What stands at the path is no socket, or the path is too long: exit 78.
    case badPath
    /// The descriptor is not a listening unix stream socket: exit 78.
    case badDescriptor
    /// The named group does not exist: exit 78.
    case noGroup
    /// The system refuses: exit 69 or 77 as `description` says.
    case system
  }

  package let code: Code
  /// Safe to show.
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
