import Foundation
import TestSupport

/// Reads the refusals of the programs in Sources: each `rule:` of a call, and the shorter forms of the gateway.
struct RefusalsInSwift {
  private(set) var found = FoundRefusals()
  /// The statuses of `CommandError.Kind`.
  private let kinds: [Substring: Substring]
  /// The names in `Problem.Rule`.
  private let constants: [Substring: Substring]

  init() throws {
    kinds = Self.pairs(try Checkout.text("Sources/Operations/Commands/CommandError.swift"), /case (\w+) = (\d{3})/)
    constants = Self.pairs(try Checkout.text("Sources/ControlAPI/Problem.swift"), /static let (\w+) = "([a-z-]+)"/)
    for path in try Checkout.paths("Sources", ["swift"]) {
      let parts = path.split(separator: "/")
      let text = try Checkout.text(path).replacing(/(?m)(?:^|\s)\/\/.*$/, with: "")
      switch parts[1] {
      case "Gateway":
        readRules(text, parts[parts.count - 1], "gateway")
        readGateway(text, parts[parts.count - 1])
      case "DashboardRelay": readRules(text, parts[parts.count - 1], "dashboard")
      default: readRules(text, parts[parts.count - 1], "settlectl")
      }
      if parts[1] == "ControlAPI" { readParameters(text) }
      if parts[1] == "CommandLineTool" { readOwn(text) }
    }
  }

  private static func pairs(
    _ text: String, _ regex: Regex<(Substring, Substring, Substring)>
  ) -> [Substring: Substring] {
    Dictionary(text.matches(of: regex).map { ($0.1, $0.2) }) { first, _ in first }
  }

  private mutating func readRules(_ text: String, _ file: Substring, _ place: String) {
    for match in text.matches(of: /\brule: ([^,)\n]*)/) {
      let expression = match.1
      if expression.hasPrefix("String") {
        // The default of `GatewayError.tryLater`.
        if let rule = expression.firstMatch(of: /= "([a-z-]+)"/) { found.add("503", rule.1, place) }
        continue
      }
      if let status = status(before: text[..<match.range.lowerBound].suffix(300)), let rule = rule(expression) {
        found.add(status, rule, place)
      } else {
        found.addComputed(expression, in: file)
      }
    }
    // What a statement of Racing writes.
    for match in text.matches(of: /\ rule = '([a-z-]+)'/) { found.add("409", match.1, place) }
  }

  private func status(before text: Substring) -> Substring? {
    if let match = text.firstMatch(of: /(?:(\d{3})|\.(\w+)),\s*$/) {
      return match.1 ?? match.2.flatMap { kinds[$0] }
    }
    if text.firstMatch(of: /tryLater\([^()]*(?:\([^()]*\)[^()]*)*$/) != nil { return "503" }
    let reading = /(?:EngineHandlers\.instant|TimeSpan\.read)\([^()]*(?:\([^()]*\)[^()]*)*$/
    return text.firstMatch(of: reading) == nil ? nil : "400"
  }

  private func rule(_ expression: Substring) -> Substring? {
    if let literal = expression.wholeMatch(of: /"([a-z-]+)"/) { return literal.1 }
    return expression.wholeMatch(of: /(?:Problem\.)?Rule\.(\w+)/).flatMap { constants[$0.1] }
  }

  /// Members of a body, parameters of a query, and things in a path.
  private mutating func readGateway(_ text: String, _ file: Substring) {
    for match in text.matches(of: /\.(parameter|required|optional|missing)\(([^,)\n]*)/) {
      if let literal = match.2.wholeMatch(of: /"([\w-]+)"/) {
        found.add(match.1 == "missing" ? "404" : "400", literal.1, "gateway")
      } else if match.1 == "parameter" || match.1 == "missing" {
        found.addComputed("\(match.1) \(match.2)", in: file)
      }
    }
    for match in text.matches(of: /\.id\("\w+", of: "([a-z-]+)"/) { found.add("404", match.1, "gateway") }
    guard file == "Paging.swift" else { return }
    for match in text.matches(of: /(?m)^ +case ([a-z, ]+)$|others = \[([^\]]+)\]/) {
      for name in (match.1 ?? match.2 ?? "").split(whereSeparator: { ", \"".contains($0) }) {
        found.add("400", name, "gateway")
      }
    }
  }

  /// The parameters of commands, by whose names the control socket refuses.
  private mutating func readParameters(_ text: String) {
    for match in text.matches(of: /(?:required|optional)\(\s*"(\w+)"/) { found.add("400", match.1, "settlectl") }
  }

  /// The rules of settlectl where no daemon answers.
  private mutating func readOwn(_ text: String) {
    for match in text.matches(of: /\((\d{3}), "([a-z-]+)"\)/) { found.add(match.1, match.2, "settlectl") }
  }
}
