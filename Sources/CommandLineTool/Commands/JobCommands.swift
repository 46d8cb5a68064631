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

  // For people the status is asked: only it says what time it is there.
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
    commandName: "job", abstract: "Run, pause or resume a job.", subcommands: [Run.self, Pause.self, Resume.self])

  struct Run: JobStep {
    static let command = CommandDescription.jobRun
    static let configuration = CommandConfiguration(
      command,
      discussion: """
        The answer is the job as it was when the run was asked for. Afterwards jobs shows its last run, failures what \
        failed, and occurrences NAME the run of one of the daemon's own schedules.
        """)
    @OptionGroup var job: JobName
    @OptionGroup var options: ControlOptions

    func text(_ answer: JobAnswer, _ style: Style) -> String {
      let note = "A run is asked for, and is not waited for: settlectl jobs and settlectl failures show its outcome."
      return answer.text(style) + "\n\n" + Printable.wrap(note, to: style.width).joined(separator: "\n")
    }
  }

  struct Pause: JobStep {
    static let command = CommandDescription.jobPause
    @OptionGroup var job: JobName
    @OptionGroup var options: ControlOptions
  }

  struct Resume: JobStep {
    static let command = CommandDescription.jobResume
    @OptionGroup var job: JobName
    @OptionGroup var options: ControlOptions
  }
}

struct JobName: ParsableArguments {
  @Argument(help: .of(.jobRun, "name"))
  var name: String
}

/// A step of one job.
protocol JobStep: ControlCommand where Answer == JobAnswer {
  var job: JobName { get }
}

extension JobStep {
  var request: ControlRequest { ControlRequest(Self.command, ["name": .text(job.name)]) }

  func text(_ answer: JobAnswer, _ style: Style) -> String { answer.text(style) }
}

struct NextCommand: ControlCommand {
  struct Upcoming: Decodable {
    let at: String
    let job: String?
    let schedule: String?
    let key: JSONValue?
    let count: Int?
  }

  static let command = CommandDescription.next

  @Option(help: .of(command, "limit"))
  var limit: Int64?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command, ["limit": limit.map { .integer($0) }]) }

  func text(_ answer: [Upcoming], _ style: Style) -> String {
    if answer.isEmpty { return "nothing falls due" }
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
