import ArgumentParser
import ControlAPI
import ControlClient

struct ScheduleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Call functions on schedules.",
    subcommands: [
      List.self, Add.self, Remove.self, Pause.self, Resume.self, Preview.self, Backfill.self,
    ])

  struct List: ControlCommand {
    static let command = CommandDescription.scheduleList

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }

    func text(_ answer: [ScheduleAnswer], _ style: Style) -> String {
      answer.isEmpty ? "no schedules" : ScheduleAnswer.text(answer, style)
    }
  }

  struct Add: ControlCommand {
    static let command = CommandDescription.scheduleAdd
    static let configuration = CommandConfiguration(
      command,
      discussion: """
        When: --cron with its --zone, or --at. Lengths of time are written 500ms, 30s, 10m, 6h, 14d, or as \
        PostgreSQL writes intervals; a number needs its unit. The function runs \
        as the role settled_schedule, which needs USAGE on its schema and EXECUTE on it.
        """)

    @Argument(help: .of(command, "name"))
    var name: String

    @Option(help: .of(command, "cron", "expression"))
    var cron: String?

    @Option(help: .of(command, "zone"))
    var zone: String?

    @Option(help: .of(command, "at", "instant"))
    var at: String?

    @Option(help: .of(command, "call", "schema.function"))
    var call: String

    @Option(help: .of(command, "missed", "skip|once|all"))
    var missed: String?

    @Option(help: .of(command, "max", "count"))
    var max: Int64?

    @Option(help: .of(command, "within", "span"))
    var within: String?

    @Option(help: .of(command, "timeout", "span"))
    var timeout: String?

    @Option(help: .of(command, "splay", "span"))
    var splay: String?

    @Flag(help: .of(command, "replace"))
    var replace = false

    @OptionGroup var options: ControlOptions

    func validate() throws {
      if (cron == nil) == (at == nil) { throw ValidationError("Either --cron with its --zone, or --at is needed.") }
      if at != nil && zone != nil { throw ValidationError("--zone belongs to --cron: --at is an instant.") }
    }

    var request: ControlRequest {
      ControlRequest(
        Self.command,
        [
          "name": .text(name), "cron": cron.map { .text($0) }, "zone": zone.map { .text($0) },
          "at": at.map { .text($0) }, "call": .text(call), "missed": missed.map { .text($0) },
          "max": max.map { .integer($0) }, "within": within.map { .text($0) }, "timeout": timeout.map { .text($0) },
          "splay": splay.map { .text($0) }, "replace": replace ? .boolean(true) : nil,
        ])
    }

    func text(_ answer: ScheduleAnswer, _ style: Style) -> String { ScheduleAnswer.text([answer], style) }
  }

  struct Remove: ScheduleStep {
    static let command = CommandDescription.scheduleRemove
    @OptionGroup var schedule: ScheduleName
    @OptionGroup var options: ControlOptions

    func text(_ answer: ScheduleAnswer, _ style: Style) -> String { "\(Printable.line(answer.name)) is removed" }
  }

  struct Pause: ScheduleStep {
    static let command = CommandDescription.schedulePause
    @OptionGroup var schedule: ScheduleName
    @OptionGroup var options: ControlOptions
  }

  struct Resume: ScheduleStep {
    static let command = CommandDescription.scheduleResume
    @OptionGroup var schedule: ScheduleName
    @OptionGroup var options: ControlOptions
  }
}

struct ScheduleName: ParsableArguments {
  @Argument(help: .of(.scheduleRemove, "name"))
  var name: String
}

/// A step of one schedule.
protocol ScheduleStep: ControlCommand where Answer == ScheduleAnswer {
  var schedule: ScheduleName { get }
}

extension ScheduleStep {
  var request: ControlRequest { ControlRequest(Self.command, ["name": .text(schedule.name)]) }

  func text(_ answer: ScheduleAnswer, _ style: Style) -> String { ScheduleAnswer.text([answer], style) }
}
