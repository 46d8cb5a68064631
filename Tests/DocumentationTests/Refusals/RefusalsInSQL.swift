import Foundation
import TestSupport

/// Reads the refusals of the functions in sql/functions.
///
/// A call of `settled.fail()` has the rule as a literal, or stands in a function that is given the rule. Each call of
/// such a function is read in its place.
struct RefusalsInSQL {
  /// Functions that refuse by a rule, or by the name of a key, that they are given.
  ///
  /// The positions of that argument, counted from 0; the first that a call has is the rule.
  private static let takers = [
    "settled.fail": [1], "settled.refuse_key": [2, 0], "settled.check_text": [1], "settled.shown_name": [1],
    "settled.check_key_name": [1], "settled.check_present": [1], "settled.check_instant": [1],
    "settled.check_keys": [2], "settled.text_of": [1], "settled.number_of": [1], "settled.flag_of": [1],
    "racing.location_of": [1], "racing.race_filter": [1], "gateway.body_text": [2], "gateway.body_id": [2],
    "achievements.criterion_of": [1],
  ]

  private(set) var found = FoundRefusals()

  init() throws {
    for path in try Checkout.paths("sql/functions", ["sql"]) {
      let schema = path.firstMatch(of: /\/\d-([a-z]+)\//).map { String($0.1) } ?? "settled"
      read(try Checkout.text(path).replacing(/(?m)(?:^|\s)-- .*$/, with: ""), of: schema)
    }
    try readConstraints()
  }

  private mutating func read(_ text: String, of schema: String) {
    var function: Substring = ""
    for match in text.matches(of: /(CREATE OR REPLACE FUNCTION |FUNCTION )?\b([a-z]+\.[a-z_]+)\(/) {
      if match.1 == "CREATE OR REPLACE FUNCTION " { function = match.2 }
      guard match.1 == nil, let positions = Self.takers[String(match.2)] else { continue }
      readCall(of: match.2, positions, Self.arguments(text[match.range.upperBound...]), in: function, schema)
    }
    // The DETAIL of a refused decision. By `same` nothing is refused: the decision stands.
    for match in text.matches(of: /jsonb_build_object\('rule', '([a-z-]+)'/) where match.1 != "same" {
      found.add("409", match.1, schema)
    }
    // Nothing else raises a refusal. SD499 is caught where it is raised.
    for match in text.matches(of: /ERRCODE = '(SD\d{3})'/) where match.1 != "SD499" {
      found.addComputed(match.1, in: "RAISE in \(schema)")
    }
    // The members of a hint.
    for match in text.matches(of: /FOREACH member IN ARRAY '\{([a-z_,]+)\}'/) {
      for member in match.1.split(separator: ",") { found.add("400", member, schema) }
    }
  }

  private mutating func readCall(
    of name: Substring, _ positions: [Int], _ arguments: [String], in function: Substring, _ schema: String
  ) {
    let named = arguments.compactMap { $0.firstMatch(of: /^(?:rule|inside) => (.+)/)?.1 }
    let unnamed = arguments.filter { $0.firstMatch(of: /^\w+ =>/) == nil }
    let position = positions.first { $0 < unnamed.count }
    let expression = named.first.map(String.init) ?? position.map { unnamed[$0] } ?? "nothing"
    let isFail = name == "settled.fail"
    let status = isFail ? unnamed.first?.wholeMatch(of: /'SD(\d{3})'/)?.1 : "400"
    if let status, let literal = expression.wholeMatch(of: /'([\w.-]+)'/) {
      found.add(status, isFail ? String(literal.1) : Self.kebab(literal.1), schema)
    } else if Self.takers[String(function)] == nil {
      found.addComputed(expression, in: function)
    }
  }

  /// An account's constraints, by which `accounts.write()` refuses.
  private mutating func readConstraints() throws {
    let schema = try Checkout.text("sql/schema.sql")
    for match in schema.matches(of: /(?:CONSTRAINT account_([a-z]+) UNIQUE|UNIQUE INDEX account_([a-z]+) )/) {
      found.add("409", match.1 ?? match.2 ?? "", "accounts")
    }
    for match in schema.matches(of: /accounts\.account ADD CONSTRAINT account_([a-z]+)_id_fkey/) {
      found.add("404", match.1, "accounts")
    }
  }

  /// The arguments of a call, from the text behind its parenthesis.
  private static func arguments(_ text: Substring) -> [String] {
    var arguments = [""]
    var depth = 0
    var isQuoted = false
    for character in text {
      if character == "'" { isQuoted.toggle() }
      if !isQuoted {
        if character == ",", depth == 0 {
          arguments.append("")
          continue
        }
        if "([".contains(character) { depth += 1 }
        if ")]".contains(character) { depth -= 1 }
        if depth < 0 { break }
      }
      arguments[arguments.count - 1].append(character)
    }
    return arguments.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
  }

  /// As `settled.rule_of()` does it.
  private static func kebab(_ key: Substring) -> String {
    key.replacing("_", with: "-").replacing(/[A-Z]/) { "-\($0.0)" }.lowercased()
  }
}
