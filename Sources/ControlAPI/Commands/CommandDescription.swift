/// One command of the daemon, as plain data.
///
/// The module's handler, settlectl with its help, and /openapi.json read it. settlectl's plain commands, the manual
/// page and the page of levels are generated from it.
package struct CommandDescription: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// How much load a read may put on the database. The daemon runs one heavy read at a time.
  package enum Weight: Sendable {
    case light, heavy
    /// Heavy if the call has this flag.
    case heavyWith(flag: String)
  }

  /// Words with dots: `job.pause`.
  package let name: String
  /// The words of settlectl: `job pause`.
  package let words: [String]
  /// GET changes nothing.
  package let method: Method
  /// `/v1/jobs/{name}/pause`.
  package let path: String
  package let level: CommandLevel
  private let weight: Weight
  /// One sentence or two, for the help and /openapi.json.
  package let summary: String
  /// The part of the summary's sentence that concerns settlectl alone: `; exits 1 if any is missing`.
  package let more: String
  package let parameters: [CommandParameter]
  package let answer: AnswerSchema

  package init(
    _ name: String, _ method: Method, _ path: String, level: CommandLevel, weight: Weight = .light,
    words: [String]? = nil, summary: String, more: String = "", parameters: [CommandParameter] = [],
    answer: AnswerSchema
  ) {
    self.name = name
    self.words = words ?? name.split(separator: ".").map(String.init)
    self.method = method
    self.path = path
    self.level = level
    self.weight = weight
    self.summary = summary
    self.more = more
    self.parameters = parameters
    self.answer = answer
  }

  /// The commands by system: those of `Job` are in settlectl's `JobCommands.swift`.
  package static let systems: KeyValuePairs<String, [CommandDescription]> = [
    "Node": nodeSystem, "Job": jobSystem, "Failure": failureSystem, "Schedule": scheduleSystem, "Audit": auditSystem,
    "House": houseSystem, "Race": raceSystem, "Review": reviewSystem, "Activity": activitySystem,
    "Money": moneySystem, "Seasons": seasonsSystem, "CheckIns": checkInsSystem,
    "Strava": stravaSystem, "Account": accountSystem,
  ]

  /// Every command.
  package static let all = systems.flatMap(\.value)

  /// The summary as settlectl and its manual page have it, with the level: `The jobs. [read]`.
  package var headline: String {
    (more.isEmpty ? summary : summary.dropLast() + more + ".") + " [\(level.rawValue)]"
  }

  /// The parameters that settlectl accepts without their names.
  package var arguments: [CommandParameter] { parameters.filter(isArgument) }

  /// The parameters that settlectl accepts by their names.
  package var options: [CommandParameter] { parameters.filter { !isArgument($0) } }

  private func isArgument(_ parameter: CommandParameter) -> Bool {
    parameter.isArgument || PathTemplate(path).parameters.contains(parameter.name)
  }

  /// Whether a call is heavy; `hasFlag` returns whether the call has a flag.
  package func isHeavy(_ hasFlag: (String) -> Bool) -> Bool {
    switch weight {
    case .light: false
    case .heavy: true
    case .heavyWith(let flag): hasFlag(flag)
    }
  }

  /// The parameter of this name; nil if there is none.
  package func parameter(_ name: String) -> CommandParameter? { parameters.first { $0.name == name } }
}
