import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

/// A changeable rule.
struct SettingAnswer: Decodable {
  let key: String
  let value: JSONValue
  let `default`: JSONValue
  let meaning: String
  /// Nil if the audit has no change of it, and from a daemon that does not read the audit.
  let changedAt: String?
  let changedBy: String?

  private var detail: String {
    guard let changedAt else { return meaning }
    return "\(meaning) Changed \(Instants.text(changedAt)) by \(changedBy ?? "-")."
  }

  static func text(_ settings: [SettingAnswer], _ style: Style) -> String {
    Table(
      columns: [.left("KEY", shrinks: true), .left("VALUE", shrinks: true), .left("DEFAULT", shrinks: true)],
      rows: settings.map { Table.Row([$0.key, $0.value.shown, $0.default.shown], detail: $0.detail) }
    ).text(style)
  }
}

extension SettingsCommand {
  func text(_ answer: [SettingAnswer], _ style: Style) -> String { SettingAnswer.text(answer, style) }
}

struct SetCommand: ControlCommand {
  static let command = CommandDescription.set

  @Argument(help: .of(command, "key"))
  var key: String

  @Argument(help: .of(command, "value", more: "; put `--` before a value that begins with a dash"))
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
    commandName: "clock", abstract: "Accept the database's clock.", subcommands: leaves)
}

extension ClockCommand.Accept {
  func text(_ answer: JSONValue, _ style: Style) -> String { "all nodes accept the database's current time" }
}

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Resume or fork a restored database.", subcommands: leaves)
}

extension RestoreCommand.Accept {
  func text(_ answer: JSONValue, _ style: Style) -> String {
    "accepted the database in its current state: timeline \(answer["timeline"]?.shown ?? "-"), "
      + "ledger head \(Printable.line(answer["ledgerHead"]?.shown ?? "-"))"
  }
}

struct PersonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person", abstract: "Erase or correct a person's data.", subcommands: leaves)
}

extension PersonCommand.Erase {
  func text(_ answer: JSONValue, _ style: Style) -> String {
    let erased = (answer["erased"]?.members ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.shown)" }
    let kept = answer["kept"]?.elements.compactMap(\.text) ?? []
    return
      "\(Printable.line(kind)) \(Printable.line(id)) was erased: \(Printable.line(erased.joined(separator: ", ")))\n"
      + "kept: \(Printable.line(kept.joined(separator: ", ")))"
  }
}

extension PersonCommand.Correct {
  func text(_ answer: JSONValue, _ style: Style) -> String {
    let (born, gender) = (answer["dateOfBirth"]?.shown ?? "-", answer["gender"]?.shown ?? "-")
    return "athlete \(id): date of birth \(Printable.line(born)), gender \(Printable.line(gender))"
  }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

struct SettingsCommand: ControlCommand {
  static let command = CommandDescription.settings

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}

extension ClockCommand {
  static let leaves: [any ParsableCommand.Type] = [Accept.self]

  struct Accept: ControlCommand {
    static let command = CommandDescription.clockAccept

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .given(reason)]) }
  }
}

extension RestoreCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Accept.self,
    Fork.self,
  ]

  struct Accept: ControlCommand {
    static let command = CommandDescription.restoreAccept

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .given(reason)]) }
  }

  struct Fork: ControlCommand {
    static let command = CommandDescription.restoreFork

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["reason": .given(reason)]) }
  }
}

extension PersonCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Erase.self,
    Correct.self,
  ]

  struct Erase: ControlCommand {
    static let command = CommandDescription.personErase

    @Argument(help: .of(command, "kind"))
    var kind: String

    @Argument(help: .of(command, "id"))
    var id: String

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "kind": .given(kind),
        "id": .given(id),
        "reason": .given(reason),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Correct: ControlCommand {
    static let command = CommandDescription.personCorrect

    @Argument(help: .of(command, "kind"))
    var kind: String

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "dateOfBirth"))
    var dateOfBirth: String?

    @Option(help: .of(command, "gender"))
    var gender: String?

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "kind": .given(kind),
        "id": .given(id),
        "dateOfBirth": .given(dateOfBirth),
        "gender": .given(gender),
        "reason": .given(reason),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}
