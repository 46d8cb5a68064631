import ArgumentParser
import ControlClient

/// A rule that may be changed.
struct SettingAnswer: Decodable {
  let key: String
  let value: Value
  let `default`: Value
  let meaning: String

  static func text(_ settings: [SettingAnswer], _ style: Style) -> String {
    Table(
      columns: [.left("KEY", shrinks: true), .left("VALUE", shrinks: true), .left("DEFAULT", shrinks: true)],
      rows: settings.map { Table.Row([$0.key, $0.value.text, $0.default.text], detail: $0.meaning) }
    ).text(style)
  }
}

struct SettingsCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "The rules that may be changed, and their values.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .get("settings") }

  func text(_ answer: [SettingAnswer], _ style: Style) -> String { SettingAnswer.text(answer, style) }
}

struct SetCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Change a setting.")

  @Argument(help: "The setting, as `settlectl settings` names it.")
  var key: String

  @Argument(help: "Its new value; one that begins with a dash stands behind `--`.")
  var value: String

  @Option(help: "Why; it is kept in the audit.")
  var reason: String?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest {
    .post("settings", key, body: [("value", .text(value)), ("reason", reason.map { .text($0) })])
  }

  func text(_ answer: Value, _ style: Style) -> String {
    "\(key) is \(Printable.line(answer["value"]?.text ?? value))"
  }
}

struct ClockCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "Answer for the clock.", subcommands: [Accept.self])

  struct Accept: ControlCommand {
    static let configuration = CommandConfiguration(
      commandName: "accept", abstract: "Take the database's present time as right, for all nodes.")

    @Option(help: "Why; it is kept in the audit.")
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .post("clock", "accept", body: [("reason", .text(reason))]) }

    func text(_ answer: Value, _ style: Style) -> String { "the database's present time is taken as right" }
  }
}

struct DoctorCommand: ControlCommand {
  struct Check: Decodable {
    let check: String
    let ok: Bool
    let finding: String?
    let remedy: String?
  }

  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check everything that can be checked; exit 1 when something is not right.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .get("doctor") }

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
