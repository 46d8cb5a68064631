import ArgumentParser
import ControlAPI
import ControlClient
import Glibc
import TextCoding

/// Sends one request after another, each with the cursor of the last answer, until the program is interrupted.
struct WatchCommand: ControlCommand {
  struct Answer: Decodable {
    let cursor: String
    let missed: Bool
    let happenings: [JSONValue]
  }

  static let command = CommandDescription.watch

  /// The daemon answers every 15 s, even if nothing happens.
  var timeout: Duration { .seconds(25) }
  private static let retryAfter: Duration = .seconds(2)
  private static let retriesMax = 150

  @Option(help: .of(command, "job"))
  var job: String?

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { request(after: nil) }

  private func request(after cursor: String?) -> ControlRequest {
    ControlRequest(Self.command, ["job": job.map { .text($0) }, "after": cursor.map { .text($0) }])
  }

  func run() async throws {
    // An error at the beginning ends it: it must not wait for a daemon that does not exist.
    var cursor = try await page(request).answer.cursor
    var failures = 0
    while true {
      do {
        let answer = try await page(request(after: cursor), isRepeated: true).answer
        if failures > 0 { note("the daemon is responding again") }
        failures = 0
        if answer.missed { note("some events were missed") }
        for happening in answer.happenings { print(line(happening, .current)) }
        fflush(nil)
        cursor = answer.cursor
      } catch let end as ToolExit where end.code == .unreachable || end.code == .tryLater {
        failures += 1
        guard failures < Self.retriesMax else { throw end }
        if failures == 1 { note("\(end.line ?? "no response"); retrying") }
        try await Task.sleep(for: Self.retryAfter)
      }
    }
  }

  /// A remark about the watch itself: on standard error, so that programs read happenings only.
  private func note(_ text: String) {
    say("settlectl: \(Printable.line(text))\n")
  }

  private func line(_ happening: JSONValue, _ style: Style) -> String {
    if options.json { return JSONText.printable(happening.serialized) }
    let part = { (name: String) in Printable.line(happening[name]?.text ?? "-") }
    let colour: Style.Colour? = part("kind") == "occurrence.failed" ? .red : nil
    let kind = colour.map { style(part("kind"), $0) } ?? part("kind")
    return [Instants.text(happening["at"]?.text), kind, part("job"), part("key"), part("text")].joined(separator: "  ")
  }

  func text(_ answer: Answer, _ style: Style) -> String {
    answer.happenings.map { line($0, style) }.joined(separator: "\n")
  }
}
