/// An error of this module, by a stable code. Nothing of it repeats what the provider or the database said.
struct StravaError: Error, Hashable, CustomStringConvertible {
  enum Code: String, Sendable {
    /// Something sealed cannot be opened although its key is there: it was changed, or belongs to somebody else.
    case sealed
    /// A file of the spool is not what was written.
    case spool
    /// The disk refuses.
    case disk
  }

  let code: Code
  let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
