import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

/// A rule that may be changed.
struct SettingAnswer: Decodable {
  let key: String
  let value: JSONValue
  let `default`: JSONValue
  let meaning: String

  static func text(_ settings: [SettingAnswer], _ style: Style) -> String {
    Table(
      columns: [.left("KEY", shrinks: true), .left("VALUE", shrinks: true), .left("DEFAULT", shrinks: true)],
      rows: settings.map { Table.Row([$0.key, $0.value.shown, $0.default.shown], detail: $0.meaning) }
    ).text(style)
  }
}

struct SettingsCommand: ControlCommand {
  static let command = CommandDescription.settings

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: [SettingAnswer], _ style: Style) -> String { SettingAnswer.text(answer, style) }
}

struct SetCommand: ControlCommand {
  static let command = CommandDescription.set

  @Argument(help: .of(command, "key"))
  var key: String

  @Argument(help: .of(command, "value", more: "; one that begins with a dash stands behind `--`"))
  var value: String

  @Option(help: .of(command, "reason"))
  var reason: String?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest {
    ControlRequest(Self.command, ["key": .text(key), "value": .text(value), "reason": reason.map { .text($0) }])
  }

  func text(_ answer: JSONValue, _ style: Style) -> String {
    "\(key) is \(Printable.line(answer["value"]?.shown ?? value))"
  }
}

struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Answer for the clock.", subcommands: [Accept.self])

  struct Accept: ControlCommand {
    static let command = CommandDescription.clockAccept

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .text(reason)]) }

    func text(_ answer: JSONValue, _ style: Style) -> String { "the database's present time is taken as right" }
  }
}

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Answer for a database that was restored.", subcommands: [Accept.self])

  struct Accept: ControlCommand {
    static let command = CommandDescription.restoreAccept

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .text(reason)]) }

    func text(_ answer: JSONValue, _ style: Style) -> String {
      "the database is accepted as it is: timeline \(answer["timeline"]?.shown ?? "-"), "
        + "ledger head \(Printable.line(answer["ledgerHead"]?.shown ?? "-"))"
    }
  }
}

struct DoctorCommand: ControlCommand {
  struct Check: Decodable {
    let check: String
    let ok: Bool
    let finding: String?
    let remedy: String?
  }

  static let command = CommandDescription.doctor
  static let configuration = CommandConfiguration(command, more: "; exit 1 when something is not right")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: [Check], _ style: Style) -> String {
    let width = max(20, style.width - 9)
    return answer.sorted { !$0.ok && $1.ok }.map { check in
      let mark = check.ok ? style("ok", .green) + "   " : style("WRONG", .red)
      let finding = check.finding.map { ": \($0)" } ?? ""
      var lines = Printable.wrap(check.check + finding, to: width)
      if !check.ok, let remedy = check.remedy { lines += Printable.wrap("-> " + remedy, to: width) }
      return mark + "  " + lines.joined(separator: "\n       ")
    }.joined(separator: "\n")
  }

  func isRefusal(_ answer: [Check]) -> Bool { answer.contains { !$0.ok } }
}
