package import ArgumentParser
package import ControlAPI
package import ControlClient
import FoundationEssentials
package import TextCoding

/// A command that sends the daemon one request, and shows the answer.
package protocol ControlCommand: AsyncParsableCommand {
  associatedtype Answer: Decodable = JSONValue

  /// The source of its words, its help and its path.
  static var command: CommandDescription { get }

  var options: ControlOptions { get }
  var request: ControlRequest { get }

  /// The time-out for the answer: longer than the daemon's longest, except for commands that diagnose a hang.
  var timeout: Duration { get }

  /// The answer for people, without a line feed at its end.
  func text(_ answer: Answer, _ style: Style) -> String

  /// The request for the page behind these; nil if they are all.
  func following(_ pages: [Answer]) -> ControlRequest?

  /// All pages as one answer.
  func joined(_ first: Answer, _ others: [Answer]) -> Answer

  /// Whether programs should notice the answer: exit 1.
  func isRefusal(_ answer: Answer) -> Bool
}

extension ControlCommand {
  package static var configuration: CommandConfiguration { CommandConfiguration(command) }

  /// The answer in the order of its description, for commands without their own text.
  package func text(_ answer: JSONValue, _ style: Style) -> String {
    PlainText.text(answer, Self.command.answer, style)
  }

  package func isRefusal(_ answer: Answer) -> Bool { false }

  package var timeout: Duration { .seconds(65) }

  package func following(_ pages: [Answer]) -> ControlRequest? { nil }

  package func joined(_ first: Answer, _ others: [Answer]) -> Answer { first }

  package func run() async throws {
    let first = try await page(request)
    var (pages, bodies) = ([first.answer], [first.body])
    while let request = following(pages) {
      let next = try await page(request)
      pages.append(next.answer)
      bodies.append(next.body)
    }
    let answer = joined(first.answer, Array(pages.dropFirst()))
    print(
      options.json ? JSONText.printable(JSONText.joined(bodies)) : Printable.lines(text(answer, .current)))
    if isRefusal(answer) { throw ToolExit(code: .refused, line: nil) }
  }

  /// If there is none, programs get the problem instead, unless it `isRepeated`.
  func page(_ request: ControlRequest, isRepeated: Bool = false) async throws -> (answer: Answer, body: String) {
    let response: ControlResponse
    do {
      response = try await ControlClient(path: options.path, answerAtMost: timeout).send(request)
    } catch {
      let end = ToolExit(error, asking: request)
      if options.json, !isRepeated { print(JSONText.printable(Problem(error, end.line).json)) }
      throw end
    }
    guard (200..<300).contains(response.status) else {
      // Programs get the problem itself; the exit code gives its kind.
      if options.json { print(JSONText.printable(response.body)) }
      throw ToolExit(response)
    }
    do {
      return (try JSONDecoder().decode(Answer.self, from: Data(response.body.utf8)), response.body)
    } catch {
      if options.json { print(JSONText.printable(response.body)) }
      throw ToolExit(code: .bug, line: "unexpected response from the daemon; the versions might differ")
    }
  }
}

extension ControlCommand where Answer: ShownAnswer {
  func text(_ answer: Answer, _ style: Style) -> String { answer.text(style) }
}

extension ToolExit {
  init(_ error: ControlClientError, asking request: ControlRequest) {
    switch error.code {
    case .unreachable: self.init(code: .unreachable, line: "\(error); try: systemctl status settled")
    case .denied: self.init(code: .denied, line: "\(error)")
    case .noAnswer:
      let rest =
        request.isPost
        ? "the command might have taken effect: check its effect before you repeat it"
        : "the command is read-only: try again"
      self.init(code: .tryLater, line: "\(error); \(rest)")
    case .malformed: self.init(code: .bug, line: "\(error)")
    }
  }

  /// A refusal in the daemon's words, with the rule's name.
  init(_ response: ControlResponse) {
    guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body.utf8)) else {
      self.init(code: ControlExit(status: response.status, rule: ""), line: "the daemon returned \(response.status)")
      return
    }
    let code = ControlExit(status: problem.status, rule: problem.rule)
    let line =
      problem.status == 404 && problem.rule == Problem.Rule.path
      ? "this daemon is older than settlectl and does not support the command"
      : "\(problem.detail) (rule \(problem.rule))"
    self.init(code: code, line: line)
  }
}

extension Problem {
  /// The problem in place of an answer, for programs: in the form of the daemon's own.
  fileprivate init(_ error: ControlClientError, _ line: String?) {
    let (status, rule) =
      switch error.code {
      case .unreachable: (503, "unreachable")
      case .denied: (403, "denied")
      case .noAnswer: (503, "no-answer")
      case .malformed: (500, "malformed")
      }
    self.init(status, rule: rule, line ?? "\(error)")
  }
}
