import Markup
import TextCoding

/// What a command changed, member by member.
enum Difference {
  private static let membersMax = 12

  static func html(before: JSONValue?, after: JSONValue?) -> HTML {
    guard case .object(let left)? = before, case .object(let right)? = after else {
      return sides(before, after)
    }
    let names = left.map(\.0) + right.map(\.0).filter { name in !left.contains { $0.0 == name } }
    let changed = names.filter { before?[$0] != after?[$0] }
    guard !changed.isEmpty else { return .tag("span", "muted", text: "no change") }
    var parts = changed.prefix(membersMax).map { name in
      HTML.tag(
        "span", "", [.tag("span", "muted", [.cut(name.cut(40)), .text(" ")]), sides(before?[name], after?[name])])
    }
    if changed.count > membersMax { parts.append(.text("and \(changed.count - membersMax) more")) }
    return .tag("span", "difference", [.joined(parts, by: .text("; "))])
  }

  private static func sides(_ before: JSONValue?, _ after: JSONValue?) -> HTML {
    let (left, right) = (text(before), text(after))
    if left == right { return .cut(left) }
    return .joined([
      .tag("del", "", [.cut(left.isEmpty ? "–" : left)]), .text(" → "),
      .tag("ins", "", [.cut(right.isEmpty ? "–" : right)]),
    ])
  }

  private static func text(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: ""
    case let value?: words(value).cut(160)
    }
  }

  /// Without the signs of JSON: `name value, name value`, and lists with commas.
  private static func words(_ value: JSONValue) -> String {
    switch value {
    case .null: "–"
    case .text(let text): text
    case .array(let elements) where elements.isEmpty: "none"
    case .array(let elements): elements.prefix(membersMax).map(words).joined(separator: ", ")
    case .object(let members):
      members.prefix(membersMax).map { "\($0.0) \(words($0.1))" }.joined(separator: ", ")
    default: value.serialized
    }
  }
}
