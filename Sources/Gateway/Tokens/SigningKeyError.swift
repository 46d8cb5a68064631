/// A key that cannot be used; nothing of the key is in the text.
package struct SigningKeyError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
