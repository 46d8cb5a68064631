import Glibc

/// Why the sockets cannot be served.
package struct ServingError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// A live process serves the path or the address: exit 75, and no socket is touched.
    case inUse
    /// The file at the path is no socket, or the path is too long: exit 78.
    case badPath
    /// The address is none of this machine: exit 78.
    case badAddress
    /// The descriptor is not a listening stream socket of the right family: exit 78.
    case badDescriptor
    /// The named group does not exist: exit 78.
    case noGroup
    /// The system refuses: exit 69 or 77, as in `description`.
    case system
  }

  package let code: Code
  /// Safe to show.
  package let description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  package static func system(_ what: String, _ code: Int32 = errno) -> ServingError {
    ServingError(.system, "\(what): \(String(cString: strerror(code)))")
  }

  static func inUse(_ place: String) -> ServingError {
    ServingError(.inUse, "\(place) is already served by another process")
  }
}
