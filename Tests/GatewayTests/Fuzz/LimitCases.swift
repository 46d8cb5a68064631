import ControlAPI
import Foundation
import TestSupport
import TextCoding

/// Values at the limits of a description: the last good ones, and the first bad ones.
struct LimitCases {
  struct Case {
    /// The members on the way to the value; of a parameter its name.
    let path: [String]
    /// JSON; nil: the member is left out.
    let json: String?
    let isGood: Bool
  }

  /// JSON of things that exist, by the name of a member.
  let known: [String: String]

  /// A value made of the examples, with all members, but for what a case has in its place.
  func sample(_ schema: AnswerSchema, named name: String = "", _ changed: Case? = nil) -> String {
    if let changed, changed.path.isEmpty, let json = changed.json { return json }
    switch schema {
    case .limited(.members(let members), _), .members(let members): return object(members, changed)
    case .limited(let inner, let limits): return known[name] ?? limits.example ?? sample(inner, named: name)
    case .nullable(let inner): return sample(inner, named: name, changed)
    case .anyOf(let schemas): return sample(schemas[0], named: name, changed)
    case .text: return known[name] ?? #""a""#
    case .instant: return #""2031-06-02T08:00:00Z""#
    case .integer, .number: return known[name] ?? "1"
    case .boolean: return "false"
    case .choice(let texts): return JSONText.quoted(texts[0])
    case .array: return "[]"
    case .anything: return "{}"
    }
  }

  private func object(_ members: [AnswerSchema.Member], _ changed: Case?) -> String {
    var pairs: [(String, String)] = []
    for member in members where changed?.path != [member.name] {
      let inner = changed.flatMap { changed in
        changed.path.first == member.name
          ? Case(path: Array(changed.path.dropFirst()), json: changed.json, isGood: changed.isGood) : nil
      }
      pairs.append((member.name, sample(member.schema, named: member.name, inner)))
    }
    if let changed, changed.path.count == 1, let json = changed.json { pairs.append((changed.path[0], json)) }
    return JSONText.object(pairs)
  }

  /// The cases of a value and of all within it.
  func cases(_ schema: AnswerSchema, at path: [String]) -> [Case] {
    switch schema {
    case .limited(let inner, let limits):
      let unknown = limits.isClosed ? [Case(path: path + ["zzz"], json: "1", isGood: false)] : []
      return cases(inner, at: path) + values(inner, limits, at: path) + unknown
    case .members(let members):
      return members.flatMap { member in
        cases(member.schema, at: path + [member.name])
          + [Case(path: path + [member.name], json: nil, isGood: !member.isRequired)]
      }
    case .nullable(let inner): return [Case(path: path, json: "null", isGood: true)] + cases(inner, at: path)
    case .anyOf(let schemas): return schemas.flatMap { cases($0, at: path) }
    case .choice(let texts):
      return texts.map { Case(path: path, json: JSONText.quoted($0), isGood: true) }
        + [Case(path: path, json: #""zzz""#, isGood: false)]
    default: return []
    }
  }

  private func values(_ schema: AnswerSchema, _ limits: AnswerSchema.Limits, at path: [String]) -> [Case] {
    let example = limits.example.map { Case(path: path, json: $0, isGood: true) }
    let cases =
      switch schema {
      case .text, .instant: texts(limits).map { Case(path: path, json: JSONText.quoted($0), isGood: $1) }
      case .integer: numbers(limits, 1).map { Case(path: path, json: $0, isGood: $1) }
      case .number:
        numbers(limits, Decimal(sign: .plus, exponent: -3, significand: 1)).map {
          Case(path: path, json: $0, isGood: $1)
        }
      default: [Case]()
      }
    return (known[path.last ?? ""] == nil ? [example].compactMap { $0 } : []) + cases
  }

  private func texts(_ limits: AnswerSchema.Limits) -> [(String, Bool)] {
    var texts: [String] = []
    if let length = limits.length {
      let example = limits.example.flatMap { try? JSONValue($0).text } ?? "a"
      for count in [length.lowerBound - 1, length.lowerBound, length.upperBound, length.upperBound + 1] where count >= 0
      {
        let end = String(repeating: example.last ?? "a", count: max(0, count - example.count))
        texts.append(String(example.suffix(count)) + end)
      }
    }
    if limits.pattern != nil { texts += ["", " ", "x", "-1", "\u{200B}", "\u{2028}", "1e3", "é"] }
    return texts.map { text in
      let isMatch = limits.pattern.map { pattern in
        (try? Regex(pattern).matchingSemantics(.unicodeScalar).firstMatch(in: text)) != nil
      }
      return (text, isMatch != false && limits.length?.contains(text.unicodeScalars.count) != false)
    }
  }

  private func numbers(_ limits: AnswerSchema.Limits, _ step: Decimal) -> [(String, Bool)] {
    var numbers: [(Decimal, Bool)] = []
    if let minimum = limits.minimum.flatMap({ Decimal(string: $0) }) {
      numbers += [(minimum, !limits.isAbove), (minimum - step, false)]
      if limits.isAbove { numbers.append((minimum + step, true)) }
    }
    if let maximum = limits.maximum.flatMap({ Decimal(string: $0) }) {
      numbers += [(maximum, true), (maximum + step, false)]
    }
    if let unit = limits.step.flatMap({ Decimal(string: $0) }) { numbers += [(1 + unit, true), (1 + unit / 4, false)] }
    return numbers.map { ("\($0.0)", $0.1) }
  }
}
