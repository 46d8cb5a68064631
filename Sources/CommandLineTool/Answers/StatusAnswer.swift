/// The state of a node and its jobs.
struct StatusAnswer: ShownAnswer {
  let state: String
  let version: String
  let schemaVersion: Int
  let simulatedClock: Bool
  let node: String
  let now: String
  let clockSkewMs: Int
  let jobs: [JobAnswer]
  let problems: [String]
  /// Nil from a daemon without them.
  let notes: [String]?
  /// The problems with their remedies; nil from a daemon without remedies.
  let findings: [Finding]?

  struct Finding: Decodable {
    let text: String
    let since: String?
    let remedy: String
    let heldPence: Int64?

    fileprivate var advice: String {
      let held = heldPence.flatMap { $0 > 0 ? " (\(Sterling.text($0)) held)" : nil } ?? ""
      return "-> \(remedy)\(held)\(since.map { ", since \(Instants.text($0))" } ?? "")"
    }
  }

  private var colour: Style.Colour {
    switch state {
    case "ready": problems.isEmpty ? .green : .yellow
    case "draining": .yellow
    default: .red
    }
  }

  /// Problems come first.
  func text(_ style: Style) -> String {
    let count = problems.isEmpty ? "" : ", " + Counted.text(problems.count, "problem")
    var lines = [
      "settled \(Printable.line(version)) on \(Printable.line(node)): "
        + style(Printable.line(state).uppercased() + count, colour)
    ]
    for (place, problem) in problems.enumerated() {
      let pieces = Printable.wrap(problem, to: style.width - 4)
      for (index, piece) in pieces.enumerated() {
        lines.append((index == 0 ? "  " + style("!", .red) + " " : "    ") + piece)
      }
      guard let findings, place < findings.count, findings[place].text == problem else { continue }
      for (index, piece) in Printable.wrap(findings[place].advice, to: style.width - 7).enumerated() {
        lines.append((index == 0 ? "    " : "       ") + piece)
      }
    }
    for note in notes ?? [] {
      for (index, piece) in Printable.wrap(note, to: style.width - 4).enumerated() {
        lines.append((index == 0 ? "  - " : "    ") + piece)
      }
    }
    if simulatedClock { lines.append("  " + style("!", .yellow) + " this database uses a simulated clock") }
    lines += ["", JobAnswer.table(jobs, now: now).text(style), ""]
    lines.append("\(Instants.text(now)), clock skew \(clockSkewMs) ms, schema \(schemaVersion)")
    return lines.joined(separator: "\n")
  }
}
