/// The comment on a function that an app may call, in its parts.
///
/// Its lines are a summary, `argument (unit): meaning` with a line `  key (type): meaning` for each key of a jsonb
/// argument, `Returns ...`, `Refuses: SD400 rule, rule (why); SD404 rule.` and `Example: SELECT ...`. A line that
/// begins with four blanks continues the line before.
struct FunctionComment {
  struct Item {
    let name: String
    let kind: String?
    let meaning: String
    var keys: [Item] = []

    init?(_ line: some StringProtocol) {
      guard let match = String(line).wholeMatch(of: /(\w+)(?: \(([^)]*)\))?: (.+)/) else { return nil }
      (name, kind, meaning) = (String(match.1), match.2.map(String.init), String(match.3))
    }
  }

  struct Refusal {
    let sqlState: String
    let rules: [(name: String, why: String?)]
  }

  private(set) var summary = ""
  private(set) var arguments: [Item] = []
  private(set) var result = ""
  /// Empty where the function refuses nothing.
  private(set) var refusals: [Refusal] = []
  private(set) var example = ""
  /// What the text lacks, or has too much.
  private(set) var problems: [String] = []

  init(_ text: String) {
    var refuses = false
    for line in Self.lines(text) {
      let joined = line.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
      if line.hasPrefix("Example: ") {
        example = String(line.dropFirst("Example: ".count))
      } else if !example.isEmpty {
        problems.append("a line after the example: \(line)")
      } else if line.hasPrefix("Returns ") {
        result = joined
      } else if line.hasPrefix("Refuses: ") {
        refuses = true
        readRefusals(joined.dropFirst("Refuses: ".count))
      } else if line.hasPrefix("  "), let key = Item(joined), !arguments.isEmpty {
        arguments[arguments.count - 1].keys.append(key)
      } else if let argument = Item(joined), result.isEmpty {
        arguments.append(argument)
      } else if arguments.isEmpty, result.isEmpty {
        summary += summary.isEmpty ? joined : " \(joined)"
      } else {
        problems.append("an unknown line: \(line)")
      }
    }
    if summary.isEmpty { problems.append("no summary") }
    if result.isEmpty { problems.append("no line Returns") }
    if !refuses { problems.append("no line Refuses") }
    if !example.hasPrefix("SELECT ") { problems.append("no line Example: SELECT") }
  }

  /// Every refusal as tests write it, such as `SD404 athlete`.
  var outcomes: Set<String> {
    Set(refusals.flatMap { refusal in refusal.rules.map { "\(refusal.sqlState) \($0.name)" } })
  }

  private mutating func readRefusals(_ text: Substring) {
    guard text != "nothing." else { return }
    if !text.hasSuffix(".") { problems.append("refusals end without a full stop") }
    for group in Self.parts(String(text.dropLast()), at: ";") {
      guard let match = group.wholeMatch(of: /(SD\d{3}) (.+)/) else {
        problems.append("a refusal without its SQLSTATE: \(group)")
        continue
      }
      let rules = Self.parts(String(match.2), at: ",").compactMap { rule in
        rule.wholeMatch(of: /([a-z-]+)(?: \((.+)\))?/).map { (name: String($0.1), why: $0.2.map(String.init)) }
      }
      if rules.count != Self.parts(String(match.2), at: ",").count { problems.append("a rule with blanks: \(group)") }
      refusals.append(Refusal(sqlState: String(match.1), rules: rules))
    }
  }

  /// The parts between separators that are outside of parentheses.
  private static func parts(_ text: String, at separator: Character) -> [String] {
    var depth = 0
    let parts = text.split { character in
      depth += character == "(" ? 1 : character == ")" ? -1 : 0
      return depth == 0 && character == separator
    }
    return parts.map { part in String(part.drop { $0 == " " }) }
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").reduce(into: []) { lines, line in
      if line.hasPrefix("    "), let last = lines.indices.last {
        lines[last] += "\n\(line)"
      } else {
        lines.append(String(line))
      }
    }
  }
}
