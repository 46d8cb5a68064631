import ArgumentParser
import ControlAPI
import ControlClient

extension ScheduleCommand {
  struct Preview: ControlCommand {
    struct Tick: Decodable {
      let localTime: String
      let instant: String
      let note: String?
    }

    static let command = CommandDescription.schedulePreview

    @Option(help: .of(command, "cron", "expression"))
    var cron: String

    @Option(help: .of(command, "zone"))
    var zone: String?

    @Option(help: .of(command, "from", "instant"))
    var from: String?

    @Option(help: .of(command, "count"))
    var count: Int64?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(
        Self.command,
        [
          "cron": .text(cron), "zone": zone.map { .text($0) }, "from": from.map { .text($0) },
          "count": count.map { .integer($0) },
        ])
    }

    func text(_ answer: [Tick], _ style: Style) -> String {
      if answer.isEmpty { return "it never ticks" }
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
      case "fold": "fold: the local time comes twice"
      case let other: other ?? ""
      }
    }
  }

  struct Backfill: ControlCommand {
    struct Tick: Decodable {
      let instant: String
      let status: String
    }

    static let command = CommandDescription.scheduleBackfill
    static let dry = CommandDescription.scheduleBackfillPreview

    @OptionGroup var schedule: ScheduleName

    @Option(help: .of(command, "from", "instant"))
    var from: String

    @Option(help: .of(command, "to", "instant"))
    var to: String

    @Flag(help: "Only show which they are. \(dry.level.shown)")
    var dryRun = false

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(
        dryRun ? Self.dry : Self.command, ["name": .text(schedule.name), "from": .text(from), "to": .text(to)])
    }

    func text(_ answer: [Tick], _ style: Style) -> String {
      if answer.isEmpty { return "every tick in this range has its occurrence" }
      let count = Counted.text(answer.count, "tick")
      let head = dryRun ? "\(count) would run; nothing was written" : "\(count) will run"
      let rows = answer.map { Table.Row([Instants.text($0.instant), dryRun ? "-" : $0.status]) }
      return head + "\n\n" + Table(columns: [.left("INSTANT"), .left("STATUS")], rows: rows).text(style)
    }
  }
}

struct OccurrencesCommand: ControlCommand {
  static let command = CommandDescription.occurrences

  @Argument(help: .of(command, "name"))
  var name: String?

  @Option(help: .of(command, "from", "instant"))
  var from: String?

  @Option(help: .of(command, "to", "instant"))
  var to: String?

  @Option(help: .of(command, "status"))
  var status: String?

  @Option(help: .of(command, "limit"))
  var limit: Int64?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest {
    ControlRequest(
      Self.command,
      [
        "name": name.map { .text($0) }, "from": from.map { .text($0) }, "to": to.map { .text($0) },
        "status": status.map { .text($0) }, "limit": limit.map { .integer($0) },
      ])
  }

  func text(_ answer: [OccurrenceAnswer], _ style: Style) -> String {
    answer.isEmpty ? "no occurrences" : OccurrenceAnswer.text(answer, style)
  }
}
