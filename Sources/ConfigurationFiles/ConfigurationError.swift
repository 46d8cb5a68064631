/// A configuration that cannot be used: of each thing that is wrong, where, which key, and why.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line each.
  package let problems: [String]

  package var description: String { problems.joined(separator: "\n") }

  package init(_ source: String, key: String?, _ problem: String) {
    problems = [key.map { "\(source): \($0): \(problem)" } ?? "\(source): \(problem)"]
  }

  package init(_ errors: [ConfigurationError]) {
    problems = errors.flatMap(\.problems)
  }
}
