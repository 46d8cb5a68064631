/// The manager handed over something that cannot be used; the description is safe to show.
package struct ServiceManagerError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// An inherited descriptor is no listening unix stream socket.
    case notASocket
    /// Two inherited sockets have one name.
    case ambiguousSocket
    /// A credential was asked for by something else than a file name.
    case badName
    /// The credential is there and is no readable text of a fair size.
    case unusableCredential
  }

  package let code: Code
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
