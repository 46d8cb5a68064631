import ControlAPI

/// The Swift text of settlectl's plain commands: each passes its arguments and prints the answer.
struct LeafText {
  static let mark = "// The rest of this file is generated from ControlAPI: `swift run settled-texts`."

  /// Commands whose type is written by hand: they ask for something else than what is described, or again and again.
  static let own: Set = [
    "failures", "jobs", "race.settle", "reload", "review.list", "schedule.backfill", "set", "watch",
  ]
  /// Commands that are asked by the option `--dry-run` of another one.
  static let dryRuns: Set = ["race.preview", "schedule.backfill.preview"]

  /// Those that settlectl has as commands.
  private let commands: [CommandDescription]

  init(_ commands: [CommandDescription]) {
    self.commands = commands.filter { !Self.dryRuns.contains($0.name) }
  }

  private var plain: [CommandDescription] { commands.filter { !Self.own.contains($0.name) } }

  var isEmpty: Bool { plain.isEmpty }

  var text: String {
    var parts = [Self.mark + "\n"]
    var nouns: [String] = []
    for command in commands {
      if command.words.count == 1 {
        if !Self.own.contains(command.name) { parts.append(leaf(command, "\(Self.type(command.words[0]))Command", "")) }
      } else if !nouns.contains(command.words[0]) {
        nouns.append(command.words[0])
        parts.append(noun(command.words[0]))
      }
    }
    return parts.joined(separator: "\n")
  }

  private func noun(_ word: String) -> String {
    let all = commands.filter { $0.words.count > 1 && $0.words[0] == word }
    let types = all.map { "\(Self.type($0.words[1])).self" }
    let list = types.count == 1 ? "[\(types[0])]" : "[\n" + types.map { "    \($0),\n" }.joined() + "  ]"
    let leaves = all.filter { !Self.own.contains($0.name) }.map { "\n" + leaf($0, Self.type($0.words[1]), "  ") }
    return """
      extension \(Self.type(word))Command {
        static let leaves: [any ParsableCommand.Type] = \(list)
      \(leaves.joined())}

      """
  }

  private func leaf(_ command: CommandDescription, _ type: String, _ indent: String) -> String {
    let values = command.parameters.map { "\"\($0.name)\": .given(\($0.name))" }
    let request =
      switch values.count {
      case 0: "ControlRequest(Self.command)"
      case 1: "ControlRequest(Self.command, [\(values[0])])"
      default: "ControlRequest(Self.command, values)"
      }
    var lines = [
      "struct \(type): ControlCommand {", "  static let command = CommandDescription.\(Self.member(command))", "",
    ]
    for parameter in command.parameters { lines += declaration(parameter, of: command) + [""] }
    lines += ["  @OptionGroup var options: ControlOptions", ""]
    if values.count > 1 {
      lines += ["  private var values: KeyValuePairs<String, ParameterValue?> {", "    ["]
      lines += values.map { "      \($0)," } + ["    ]", "  }", ""]
    }
    lines += ["  var request: ControlRequest { \(request) }", "}"]
    return lines.map { $0.isEmpty ? "\n" : indent + $0 + "\n" }.joined()
  }

  private func declaration(_ parameter: CommandParameter, of command: CommandDescription) -> [String] {
    let isArgument = command.arguments.contains { $0.name == parameter.name }
    let mark = parameter.isRequired ? "" : "?"
    let help = "(help: .of(command, \"\(parameter.name)\"))"
    return switch parameter.kind {
    case .boolean: ["  @Flag\(help)", "  var \(parameter.name) = false"]
    case .integer, .text:
      [
        "  @\(isArgument ? "Argument" : "Option")\(help)",
        "  var \(parameter.name): \(parameter.kind == .integer ? "Int64" : "String")\(mark)",
      ]
    }
  }

  /// `request-info` as `RequestInfo`.
  private static func type(_ word: String) -> String {
    word.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// `review.request-info` as `reviewRequestInfo`.
  private static func member(_ command: CommandDescription) -> String {
    let words = command.name.split { $0 == "." || $0 == "-" }
    return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
