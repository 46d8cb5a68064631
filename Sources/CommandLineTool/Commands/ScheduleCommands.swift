import ArgumentParser
import ControlClient

struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Call functions on schedules.",
    subcommands: [
      List.self, Add.self, Remove.self, Pause.self, Resume.self, Preview.self, Backfill.self,
    ])

  struct List: ControlCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "The schedules.")

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { .get("schedules") }

    func text(_ answer: [ScheduleAnswer], _ style: Style) -> String {
      answer.isEmpty ? "no schedules" : ScheduleAnswer.text(answer, style)
    }
  }

  struct Add: ControlCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Call a function of the database on a schedule.",
      discussion: """
        When: --cron with its --zone, or --at. Lengths of time are written 500ms, 30s, 10m, 6h, 14d, or as \
        PostgreSQL writes intervals; a number needs its unit. The function runs \
        as the role settled_schedule, which needs USAGE on its schema and EXECUTE on it.
        """)

    @Argument(help: "Its name: 1 to 63 letters, digits, dots, hyphens and underscores.")
    var name: String

    @Option(help: ArgumentHelp("A cron expression of five fields, or six with seconds first.", valueName: "expression"))
    var cron: String?

    @Option(help: "Its time zone, by default UTC.")
    var zone: String?

    @Option(help: ArgumentHelp("Instead of cron: the one instant (ISO 8601).", valueName: "instant"))
    var at: String?

    @Option(help: ArgumentHelp("The function, without arguments.", valueName: "schema.function"))
    var call: String

    @Option(help: ArgumentHelp("What becomes of missed ticks, by default once.", valueName: "skip|once|all"))
    var missed: String?

    @Option(help: ArgumentHelp("With --missed all: how many of the latest run, 1 to 100000.", valueName: "count"))
    var max: Int64?

    @Option(help: ArgumentHelp("With --missed all: how old they may be.", valueName: "span"))
    var within: String?

    @Option(help: ArgumentHelp("How long a run may take, by default 5m.", valueName: "span"))
    var timeout: String?

    @Option(help: ArgumentHelp("Each run waits a stable part of this, by default 0.", valueName: "span"))
    var splay: String?

    @Flag(help: "Replace the schedule of this name, if there is one; its occurrences stay.")
    var replace = false

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if (cron == nil) == (at == nil) { throw ValidationError("Either --cron with its --zone, or --at is needed.") }
      if at != nil && zone != nil { throw ValidationError("--zone belongs to --cron: --at is an instant.") }
    }

    var request: ControlRequest {
      .post(
        "schedules",
        body: [
          ("name", .text(name)), ("cron", cron.map { .text($0) }), ("zone", zone.map { .text($0) }),
          ("at", at.map { .text($0) }), ("call", .text(call)), ("missed", missed.map { .text($0) }),
          ("max", max.map { .integer($0) }), ("within", within.map { .text($0) }),
          ("timeout", timeout.map { .text($0) }), ("splay", splay.map { .text($0) }),
          ("replace", replace ? .boolean(true) : nil),
        ])
    }

    func text(_ answer: ScheduleAnswer, _ style: Style) -> String { ScheduleAnswer.text([answer], style) }
  }

  struct Remove: ScheduleStep {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a schedule; its occurrences stay.")
    static let verb = "remove"
    @OptionGroup var schedule: ScheduleName
    @OptionGroup var options: ControlOptions

    func text(_ answer: ScheduleAnswer, _ style: Style) -> String { "\(Printable.line(answer.name)) is removed" }
  }

  struct Pause: ScheduleStep {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Let a schedule have no ticks.")
    static let verb = "pause"
    @OptionGroup var schedule: ScheduleName
    @OptionGroup var options: ControlOptions
  }

  struct Resume: ScheduleStep {
    static let configuration = CommandConfiguration(
      commandName: "resume", abstract: "Let a schedule tick again from now on.")
    static let verb = "resume"
    @OptionGroup var schedule: ScheduleName
    @OptionGroup var options: ControlOptions
  }
}

struct ScheduleName: ParsableArguments {
  @Argument(help: "The schedule, as `settlectl schedule list` names it.")
  var name: String
}

/// A step of one schedule.
protocol ScheduleStep: ControlCommand where Answer == ScheduleAnswer {
  static var verb: String { get }
  var schedule: ScheduleName { get }
}

extension ScheduleStep {
  var request: ControlRequest { .post("schedules", schedule.name, Self.verb) }

  func text(_ answer: ScheduleAnswer, _ style: Style) -> String { ScheduleAnswer.text([answer], style) }
}
