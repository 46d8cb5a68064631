/// One command that may be asked of the daemon, as plain data.
///
/// The module's handler, settlectl with its help, and /openapi.json read it; a test holds the manual page against it.
package struct CommandDescription: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// Words with dots: `job.pause`.
  package let name: String
  /// GET changes nothing.
  package let method: Method
  /// `/v1/jobs/{name}/pause`.
  package let path: String
  package let level: CommandLevel
  /// One sentence or two, for the help and /openapi.json.
  package let summary: String
  package let parameters: [CommandParameter]
  package let answer: AnswerSchema

  package init(
    _ name: String, _ method: Method, _ path: String, level: CommandLevel, summary: String,
    parameters: [CommandParameter] = [], answer: AnswerSchema
  ) {
    self.name = name
    self.method = method
    self.path = path
    self.level = level
    self.summary = summary
    self.parameters = parameters
    self.answer = answer
  }

  /// Every command.
  package static let all = engine + racing + seasons + strava + accounts

  /// The word that settlectl takes: the last of the name.
  package var word: String { name.split(separator: ".").last.map(String.init) ?? name }

  /// The parameter of this name; nil where there is none.
  package func parameter(_ name: String) -> CommandParameter? { parameters.first { $0.name == name } }
}
