package import ArgumentParser
package import ControlAPI

extension CommandConfiguration {
  /// A command as it is described, its level behind the summary.
  ///
  /// `more` is what settlectl adds to the summary's sentence, `; exit 1 when one lacks`.
  init(_ command: CommandDescription, more: String = "", discussion: String = "") {
    let sentence = more.isEmpty ? command.summary : command.summary.dropLast() + more + "."
    self.init(commandName: command.word, abstract: "\(sentence) \(command.level.shown)", discussion: discussion)
  }
}

extension CommandLevel {
  /// `[operate]`.
  var shown: String { "[\(rawValue)]" }
}

extension ArgumentHelp {
  /// The meaning of a command's parameter, with what settlectl adds to the sentence.
  package static func of(
    _ command: CommandDescription, _ name: String, _ valueName: String? = nil, more: String = ""
  ) -> ArgumentHelp {
    guard let parameter = command.parameter(name) else {
      preconditionFailure("\(command.name) has no parameter \(name)")
    }
    let sentence = more.isEmpty ? parameter.meaning : parameter.meaning.dropLast() + more + "."
    return ArgumentHelp("\(sentence)", valueName: valueName)
  }
}
