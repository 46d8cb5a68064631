/// An error of this module, by a stable code.
package struct AchievementsError: Error, Hashable, CustomStringConvertible {
  package enum Code: String, Sendable {
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
