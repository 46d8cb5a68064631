import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct JobsCommand: ControlCommand {
  static let command = CommandDescription.jobs

  /// The jobs alone, or with the instant from which they are seen.
  enum Answer: Decodable {
    case jobs([JobAnswer])
    case status(StatusAnswer)

    init(from decoder: any Decoder) throws {
      if let status = try? StatusAnswer(from: decoder) {
        self = .status(status)
      } else {
        self = .jobs(try [JobAnswer](from: decoder))
      }
    }
  }

  @OptionGroup var options: ControlOptions

  // For people it reads the status: only that contains the daemon's time.
  var request: ControlRequest { ControlRequest(options.json ? Self.command : .status) }

  func text(_ answer: Answer, _ style: Style) -> String {
    switch answer {
    case .status(let status): JobAnswer.table(status.jobs, now: status.now).text(style)
    case .jobs(let jobs): jobs.map { $0.text(style) }.joined(separator: "\n\n")
    }
  }
}

struct JobCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "job", abstract: "Run, pause or resume a job.", subcommands: leaves)
}

extension JobCommand.Run {
  static let configuration = CommandConfiguration(
    command,
    discussion: """
      The response is the job's state at the time of the request. To see the result, use jobs for the last run, \
      failures for failed items, and occurrences NAME for runs of the daemon's built-in schedules.
      """)

  func text(_ answer: JobAnswer, _ style: Style) -> String {
    let note = "The run was requested: settlectl jobs and settlectl failures show its outcome."
    return answer.text(style) + "\n\n" + Printable.wrap(note, to: style.width).joined(separator: "\n")
  }
}

extension JobCommand.Pause { typealias Answer = JobAnswer }
extension JobCommand.Resume { typealias Answer = JobAnswer }

extension NextCommand {
  struct Upcoming: Decodable {
    let at: String
    let job: String?
    let schedule: String?
    let key: JSONValue?
    let count: Int?
  }

  func text(_ answer: [Upcoming], _ style: Style) -> String {
    if answer.isEmpty { return "nothing is due" }
    return Table(
      columns: [.left("AT"), .left("JOB", shrinks: true), .left("KEY", shrinks: true), .right("COUNT")],
      rows: answer.map { next in
        Table.Row([
          Instants.text(next.at), next.job ?? next.schedule ?? "-", next.key?.shown ?? "-",
          next.count.map(String.init) ?? "-",
        ])
      }
    ).text(style)
  }
}

extension TimelineCommand {
  struct Answer: Decodable {
    struct Mark: Decodable {
      let at: String
      let lane: String
      let job: String
      let key: String?
      let count: Int
      let pence: Int64?
      let outcome: String
      let note: String?
    }

    let now: String
    let countedBySeconds: Int?
    let marks: [Mark]
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    if answer.marks.isEmpty { return "nothing is due" }
    let table = Table(
      columns: [
        .left("AT"), .left("LANE"), .left("JOB", shrinks: true), .left("KEY", shrinks: true), .right("COUNT"),
        .right("MONEY"), .left("OUTCOME"),
      ],
      rows: answer.marks.map { mark in
        Table.Row(
          [
            Instants.text(mark.at), mark.lane, mark.job, mark.key ?? "-", String(mark.count),
            mark.pence.map(Sterling.text) ?? "-", mark.outcome,
          ], detail: mark.note, colour: Self.colour(mark.outcome))
      }
    ).text(style)
    let counted = answer.countedBySeconds.map { ", grouped into intervals of \(Instants.span($0))" } ?? ""
    return "\(table)\n\nnow \(Instants.text(answer.now))\(counted)"
  }

  private static func colour(_ outcome: String) -> Style.Colour? {
    switch outcome {
    case "failed": .red
    case "held", "missed", "skipped": .yellow
    default: nil
    }
  }
}

extension LatenessCommand {
  struct Answer: Decodable {
    struct Job: Decodable {
      let job: String
      let count: Int
      let p50Ms: Int
      let p99Ms: Int
      let maxMs: Int
    }

    let jobs: [Job]
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    if answer.jobs.isEmpty { return "nothing ran" }
    return Table(
      columns: [.left("JOB", shrinks: true), .right("RUNS"), .right("MEDIAN"), .right("99 %"), .right("MAX")],
      rows: answer.jobs.map { job in
        Table.Row([job.job, String(job.count)] + [job.p50Ms, job.p99Ms, job.maxMs].map(Self.text))
      }
    ).text(style)
  }

  private static func text(_ milliseconds: Int) -> String {
    milliseconds < 1000 ? "\(milliseconds)ms" : Instants.span(milliseconds / 1000)
  }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

extension JobCommand {
  static let leaves: [any ParsableCommand.Type] = [
    Run.self,
    Pause.self,
    Resume.self,
  ]

  struct Run: ControlCommand {
    static let command = CommandDescription.jobRun

    @Argument(help: .of(command, "name"))
    var name: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["name": .given(name)]) }
  }

  struct Pause: ControlCommand {
    static let command = CommandDescription.jobPause

    @Argument(help: .of(command, "name"))
    var name: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["name": .given(name)]) }
  }

  struct Resume: ControlCommand {
    static let command = CommandDescription.jobResume

    @Argument(help: .of(command, "name"))
    var name: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["name": .given(name)]) }
  }
}

struct NextCommand: ControlCommand {
  static let command = CommandDescription.next

  @Option(help: .of(command, "limit"))
  var limit: Int64?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command, ["limit": .given(limit)]) }
}

struct TimelineCommand: ControlCommand {
  static let command = CommandDescription.timeline

  @Option(help: .of(command, "from"))
  var from: String

  @Option(help: .of(command, "to"))
  var to: String

  @OptionGroup var options: ControlOptions

  private var values: KeyValuePairs<String, ParameterValue?> {
    [
      "from": .given(from),
      "to": .given(to),
    ]
  }

  var request: ControlRequest { ControlRequest(Self.command, values) }
}

struct LatenessCommand: ControlCommand {
  static let command = CommandDescription.lateness

  @Option(help: .of(command, "from"))
  var from: String

  @Option(help: .of(command, "to"))
  var to: String

  @OptionGroup var options: ControlOptions

  private var values: KeyValuePairs<String, ParameterValue?> {
    [
      "from": .given(from),
      "to": .given(to),
    ]
  }

  var request: ControlRequest { ControlRequest(Self.command, values) }
}
