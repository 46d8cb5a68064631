import ArgumentParser
import ControlClient

extension ScheduleCommand {
  struct Preview: ControlCommand {
    struct Tick: Decodable {
      let localTime: String
      let instant: String
      let note: String?
    }

    static let configuration = CommandConfiguration(
      commandName: "preview", abstract: "When a cron expression would tick, clock changes included.")

    @Option(help: ArgumentHelp("A cron expression of five fields, or six with seconds first.", valueName: "expression"))
    var cron: String

    @Option(help: "Its time zone, by default UTC.")
    var zone: String?

    @Option(help: ArgumentHelp("Ticks from this instant on, by default now.", valueName: "instant"))
    var from: String?

    @Option(help: "How many: 1 to 1000, by default 10.")
    var count: Int64?

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      .get(
        "schedules", "preview",
        query: [
          ("cron", .text(cron)), ("zone", zone.map { .text($0) }), ("from", from.map { .text($0) }),
          ("count", count.map { .integer($0) }),
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

    static let configuration = CommandConfiguration(
      commandName: "backfill", abstract: "Run the past ticks that have no occurrence.")

    @OptionGroup var schedule: ScheduleName

    @Option(help: ArgumentHelp("Ticks from this instant on.", valueName: "instant"))
    var from: String

    @Option(help: ArgumentHelp("Ticks before this instant.", valueName: "instant"))
    var to: String

    @Flag(help: "Only show which they are.")
    var dryRun = false

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      let range: [(String, ControlRequest.Value?)] = [("from", .text(from)), ("to", .text(to))]
      return dryRun
        ? .get("schedules", schedule.name, "backfill", query: range)
        : .post("schedules", schedule.name, "backfill", body: range)
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
  static let configuration = CommandConfiguration(
    commandName: "occurrences", abstract: "What became of schedules' ticks, newest first.")

  @Argument(help: "Only of this schedule.")
  var name: String?

  @Option(help: ArgumentHelp("Only from this instant on.", valueName: "instant"))
  var from: String?

  @Option(help: ArgumentHelp("Only before this instant.", valueName: "instant"))
  var to: String?

  @Option(help: "Only planned, running, ran, skipped, coalesced or failed ones.")
  var status: String?

  @Option(help: "How many: 1 to 100000, by default 50.")
  var limit: Int64?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest {
    .get(
      "occurrences",
      query: [
        ("name", name.map { .text($0) }), ("from", from.map { .text($0) }), ("to", to.map { .text($0) }),
        ("status", status.map { .text($0) }), ("limit", limit.map { .integer($0) }),
      ])
  }

  func text(_ answer: [OccurrenceAnswer], _ style: Style) -> String {
    answer.isEmpty ? "no occurrences" : OccurrenceAnswer.text(answer, style)
  }
}
