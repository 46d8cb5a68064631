/// A configuration that cannot be used: where, which key, and why.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String

  init(_ source: String, key: String?, _ problem: String) {
    description = key.map { "\(source): \($0): \(problem)" } ?? "\(source): \(problem)"
  }
}
