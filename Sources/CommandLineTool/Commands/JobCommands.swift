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
    commandName: "job", abstract: "Run, pause or resume a job.", subcommands: leaves)
}

extension JobCommand.Run {
  static let configuration = CommandConfiguration(
    command,
    discussion: """
      The answer is the job as it was when the run was asked for. Afterwards jobs shows its last run, failures what \
      failed, and occurrences NAME the run of one of the daemon's own schedules.
      """)

  func text(_ answer: JobAnswer, _ style: Style) -> String {
    let note = "A run is asked for, and is not waited for: settlectl jobs and settlectl failures show its outcome."
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
