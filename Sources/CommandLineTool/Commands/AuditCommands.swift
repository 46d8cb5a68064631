import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "List operators' commands, and check that schedules missed no ticks.",
    subcommands: leaves)
}

extension AuditCommand.Log {
  struct Entry: Decodable {
    let id: JSONValue
    let at: String
    let uid: JSONValue
    let command: String
    let target: String?
    let before: JSONValue?
    let after: JSONValue?
    let reason: String?
    /// Nil also from a daemon that does not name users.
    let user: String?
    let client: String?
  }

  func text(_ answer: [Entry], _ style: Style) -> String {
    if answer.isEmpty { return "no commands" }
    return Table(
      columns: [
        .right("ID"), .left("AT"), .left("USER"), .left("COMMAND"), .left("TARGET", shrinks: true),
        .left("REASON", shrinks: true),
      ],
      rows: answer.map { entry in
        Table.Row([
          entry.id.shown, Instants.text(entry.at), entry.user ?? "uid \(entry.uid.shown)",
          entry.command + (entry.client.map { " (\($0))" } ?? ""), entry.target ?? "-", entry.reason ?? "-",
        ])
      }
    ).text(style)
  }
}

extension AuditCommand.Schedule {
  struct Entry: Decodable {
    let schedule: String
    let instant: String
  }

  struct Answer: Decodable {
    let occurrences: Int
    let gaps: [Entry]
    let doubles: [Entry]
    /// The first thousand of each are shown; nil from a daemon that shows all.
    let gapCount: Int?
    let doubleCount: Int?
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    let count = Counted.text(answer.occurrences, "occurrence")
    if !isRefusal(answer) { return count + ": " + style("no gaps, no duplicates", .green) }
    let wrong =
      Counted.text(answer.gapCount ?? answer.gaps.count, "gap") + ", "
      + Counted.text(answer.doubleCount ?? answer.doubles.count, "duplicate")
    let rows =
      answer.gaps.map { Table.Row(["gap", $0.schedule, Instants.text($0.instant)]) }
      + answer.doubles.map { Table.Row(["duplicate", $0.schedule, Instants.text($0.instant)]) }
    let table = Table(columns: [.left("WHAT"), .left("SCHEDULE", shrinks: true), .left("INSTANT")], rows: rows)
    return count + ": " + style(wrong, .red) + "\n\n" + table.text(style)
  }

  func isRefusal(_ answer: Answer) -> Bool { !answer.gaps.isEmpty || !answer.doubles.isEmpty }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension AuditCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Log.self,
    Schedule.self,
  ]

  struct Log: ControlCommand {
    static let command = CommandDescription.auditLog

    @Option(help: .of(command, "from"))
    var from: String?

    @Option(help: .of(command, "limit"))
    var limit: Int64?

    @Option(help: .of(command, "after"))
    var after: String?

    @Option(help: .of(command, "uid"))
    var uid: Int64?

    @Option(help: .of(command, "command"))
    var command: String?

    @Option(help: .of(command, "target"))
    var target: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "from": .given(from),
        "limit": .given(limit),
        "after": .given(after),
        "uid": .given(uid),
        "command": .given(command),
        "target": .given(target),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Schedule: ControlCommand {
    static let command = CommandDescription.auditSchedule

    @Option(help: .of(command, "from"))
    var from: String?

    @Option(help: .of(command, "to"))
    var to: String?

    @Option(help: .of(command, "schedule"))
    var schedule: String?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "from": .given(from),
        "to": .given(to),
        "schedule": .given(schedule),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}
