package import ArgumentParser
package import ControlAPI

extension CommandConfiguration {
  /// A command with its description, and its level after the summary.
  init(_ command: CommandDescription, discussion: String = "") {
    self.init(commandName: command.words.last, abstract: command.headline, discussion: discussion)
  }
}

extension CommandLevel {
  /// `[operate]`.
  var shown: String { "[\(rawValue)]" }
}

extension ArgumentHelp {
  /// The meaning of a command's parameter, with what settlectl adds to the sentence.
  package static func of(_ command: CommandDescription, _ name: String, more: String = "") -> ArgumentHelp {
    guard let parameter = command.parameter(name) else {
      preconditionFailure("\(command.name) has no parameter \(name)")
    }
    let sentence = more.isEmpty ? parameter.meaning : parameter.meaning.dropLast() + more + "."
    return ArgumentHelp("\(sentence)", valueName: parameter.valueName)
  }
}

extension ParameterValue {
  static func given(_ text: String?) -> ParameterValue? { text.map { .text($0) } }

  static func given(_ number: Int64?) -> ParameterValue? { number.map { .integer($0) } }

  /// A flag that is not set is left out.
  static func given(_ flag: Bool) -> ParameterValue? { flag ? .boolean(true) : nil }
}
