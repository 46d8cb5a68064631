/// The keys of a program's configuration file, each with its default and the other places where its value may stand.
///
/// The raw value is the key as it stands in the file. Its variable is the name in capitals after `variablePrefix`.
package protocol ConfigurationKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  static var variablePrefix: String { get }

  /// Whether a variable with the prefix is not meant for this file, so that it is no mistyped key.
  static func isForeign(_ variable: String) -> Bool

  /// The credential of the service manager that holds the value, where there may be one: it wins.
  var credential: String? { get }

  /// Nil: there is none, the key must be given.
  var defaultValue: String? { get }
}

extension ConfigurationKey {
  package var variable: String { Self.variablePrefix + rawValue.uppercased() }
}
