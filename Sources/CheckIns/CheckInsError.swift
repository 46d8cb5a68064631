/// An error of this module, by a stable code.
package struct CheckInsError: Error, Hashable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The server's tz data know no days of a zone.
    case calendar
    /// A statement did not touch exactly the rows it was meant to.
    case written
  }

  package let code: Code
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
