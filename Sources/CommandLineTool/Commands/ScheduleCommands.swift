import ArgumentParser
import ControlAPI
import ControlClient

struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Manage schedules that call database functions.", subcommands: leaves)

  struct Backfill: ControlCommand {
    struct Tick: Decodable {
      let instant: String
      let status: String
    }

    static let command = CommandDescription.scheduleBackfill
    static let dry = CommandDescription.scheduleBackfillPreview

    @Argument(help: .of(command, "name"))
    var name: String

    @Option(help: .of(command, "from"))
    var from: String

    @Option(help: .of(command, "to"))
    var to: String

    @Flag(help: "Show the ticks without running them. \(dry.level.shown)")
    var dryRun = false

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(
        dryRun ? Self.dry : Self.command, ["name": .text(name), "from": .text(from), "to": .text(to)])
    }

    func text(_ answer: [Tick], _ style: Style) -> String {
      if answer.isEmpty { return "every tick in this range has an occurrence" }
      let count = Counted.text(answer.count, "tick")
      let head = dryRun ? "\(count) would run; nothing was written" : "\(count) will run"
      let rows = answer.map { Table.Row([Instants.text($0.instant), dryRun ? "-" : $0.status]) }
      return head + "\n\n" + Table(columns: [.left("INSTANT"), .left("STATUS")], rows: rows).text(style)
    }
  }
}

extension ScheduleCommand.List {
  func text(_ answer: [ScheduleAnswer], _ style: Style) -> String {
    answer.isEmpty ? "no schedules" : ScheduleAnswer.text(answer, style)
  }
}

extension ScheduleCommand.Add {
  typealias Answer = ScheduleAnswer

  static let configuration = CommandConfiguration(
    command,
    discussion: """
      Specify either --cron, optionally with --zone, or --at. A span is 500ms, 30s, 10m, 6h, 14d or a PostgreSQL \
      interval; a number without a unit is rejected. The function runs as the settled_schedule role, which needs \
      USAGE on the function's schema and EXECUTE on the function.
      """)

  func validate() throws {
    if (cron == nil) == (at == nil) {
      throw ValidationError("Either --cron, optionally with --zone, or --at is required.")
    }
    if at != nil && zone != nil { throw ValidationError("--zone requires --cron: --at is an instant.") }
  }
}

extension ScheduleCommand.Remove {
  func text(_ answer: ScheduleAnswer, _ style: Style) -> String { "\(Printable.line(answer.name)) was removed" }
}

extension ScheduleCommand.Pause { typealias Answer = ScheduleAnswer }
extension ScheduleCommand.Resume { typealias Answer = ScheduleAnswer }

extension ScheduleCommand.Preview {
  struct Tick: Decodable {
    let localTime: String
    let instant: String
    let note: String?
  }

  func text(_ answer: [Tick], _ style: Style) -> String {
    if answer.isEmpty { return "this expression never ticks" }
    return Table(
      columns: [.left("LOCAL TIME"), .left("INSTANT"), .left("NOTE")],
      rows: answer.map { tick in
        Table.Row([tick.localTime, Instants.text(tick.instant), Self.meaning(of: tick.note)])
      }
    ).text(style)
  }

  private static func meaning(of note: String?) -> String {
    switch note {
    case "gap": "gap: the local time is skipped"
    case "fold": "fold: the local time occurs twice"
    case let other: other ?? ""
    }
  }
}

extension OccurrencesCommand {
  func text(_ answer: [OccurrenceAnswer], _ style: Style) -> String {
    answer.isEmpty ? "no occurrences" : OccurrenceAnswer.text(answer, style)
  }
}

extension OccurrenceDaysCommand { typealias Answer = OccurrenceDaysAnswer }
extension ScheduleCommand.Days { typealias Answer = ScheduleDaysAnswer }

struct ZoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zone", abstract: "Show a time zone's clock changes.", subcommands: leaves)
}

extension ZoneCommand.Offsets { typealias Answer = ZoneOffsetsAnswer }

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension ScheduleCommand {
  static let leaves: [any ParsableCommand.Type] = [
    List.self,
    Add.self,
    Remove.self,
    Pause.self,
    Resume.self,
    Preview.self,
    Backfill.self,
    Days.self,
  ]

  struct List: ControlCommand {
    static let command = CommandDescription.scheduleList

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }
  }

  struct Add: ControlCommand {
    static let command = CommandDescription.scheduleAdd

    @Argument(help: .of(command, "name"))
    var name: String

    @Option(help: .of(command, "cron"))
    var cron: String?

    @Option(help: .of(command, "zone"))
    var zone: String?

    @Option(help: .of(command, "at"))
    var at: String?

    @Option(help: .of(command, "call"))
    var call: String

    @Option(help: .of(command, "missed"))
    var missed: String?

    @Option(help: .of(command, "max"))
    var max: Int64?

    @Option(help: .of(command, "within"))
    var within: String?

    @Option(help: .of(command, "timeout"))
    var timeout: String?

    @Option(help: .of(command, "splay"))
    var splay: String?

    @Flag(help: .of(command, "replace"))
    var replace = false

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "name": .given(name),
        "cron": .given(cron),
        "zone": .given(zone),
        "at": .given(at),
        "call": .given(call),
        "missed": .given(missed),
        "max": .given(max),
        "within": .given(within),
        "timeout": .given(timeout),
        "splay": .given(splay),
        "replace": .given(replace),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Remove: ControlCommand {
    static let command = CommandDescription.scheduleRemove

    @Argument(help: .of(command, "name"))
    var name: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["name": .given(name)]) }
  }

  struct Pause: ControlCommand {
    static let command = CommandDescription.schedulePause

    @Argument(help: .of(command, "name"))
    var name: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["name": .given(name)]) }
  }

  struct Resume: ControlCommand {
    static let command = CommandDescription.scheduleResume

    @Argument(help: .of(command, "name"))
    var name: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["name": .given(name)]) }
  }

  struct Preview: ControlCommand {
    static let command = CommandDescription.schedulePreview

    @Option(help: .of(command, "cron"))
    var cron: String

    @Option(help: .of(command, "zone"))
    var zone: String?

    @Option(help: .of(command, "from"))
    var from: String?

    @Option(help: .of(command, "count"))
    var count: Int64?

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "cron": .given(cron),
        "zone": .given(zone),
        "from": .given(from),
        "count": .given(count),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }

  struct Days: ControlCommand {
    static let command = CommandDescription.scheduleDays

    @Option(help: .of(command, "cron"))
    var cron: String

    @Option(help: .of(command, "zone"))
    var zone: String?

    @Option(help: .of(command, "from"))
    var from: String

    @Option(help: .of(command, "to"))
    var to: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "cron": .given(cron),
        "zone": .given(zone),
        "from": .given(from),
        "to": .given(to),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}

struct OccurrencesCommand: ControlCommand {
  static let command = CommandDescription.occurrences

  @Argument(help: .of(command, "name"))
  var name: String?

  @Option(help: .of(command, "from"))
  var from: String?

  @Option(help: .of(command, "to"))
  var to: String?

  @Option(help: .of(command, "status"))
  var status: String?

  @Option(help: .of(command, "limit"))
  var limit: Int64?

  @Option(help: .of(command, "after"))
  var after: String?

  @OptionGroup var options: ControlOptions

  private var values: KeyValuePairs<String, ParameterValue?> {
    [
      "name": .given(name),
      "from": .given(from),
      "to": .given(to),
      "status": .given(status),
      "limit": .given(limit),
      "after": .given(after),
    ]
  }

  var request: ControlRequest { ControlRequest(Self.command, values) }
}

struct OccurrenceDaysCommand: ControlCommand {
  static let command = CommandDescription.occurrencesDays

  @Option(help: .of(command, "schedule"))
  var schedule: String?

  @Option(help: .of(command, "zone"))
  var zone: String

  @Option(help: .of(command, "from"))
  var from: String

  @Option(help: .of(command, "to"))
  var to: String

  @OptionGroup var options: ControlOptions

  private var values: KeyValuePairs<String, ParameterValue?> {
    [
      "schedule": .given(schedule),
      "zone": .given(zone),
      "from": .given(from),
      "to": .given(to),
    ]
  }

  var request: ControlRequest { ControlRequest(Self.command, values) }
}

extension ZoneCommand {
  static let leaves: [any ParsableCommand.Type] = [Offsets.self]

  struct Offsets: ControlCommand {
    static let command = CommandDescription.zoneOffsets

    @Argument(help: .of(command, "zone"))
    var zone: String

    @Option(help: .of(command, "from"))
    var from: String

    @Option(help: .of(command, "to"))
    var to: String

    @OptionGroup var options: ControlOptions

    private var values: KeyValuePairs<String, ParameterValue?> {
      [
        "zone": .given(zone),
        "from": .given(from),
        "to": .given(to),
      ]
    }

    var request: ControlRequest { ControlRequest(Self.command, values) }
  }
}
