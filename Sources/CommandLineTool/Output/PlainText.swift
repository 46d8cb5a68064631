import ControlAPI
import TextCoding

/// An answer as its description has it: a table of a list of objects; of an object its pairs, then its lists as tables.
enum PlainText {
  static func text(_ answer: JSONValue, _ schema: AnswerSchema, _ style: Style) -> String {
    switch schema {
    case .array(.members(let members)): return table(answer, members, style)
    case .members(let members) where members.map(\.name) == ["rows", "next"]:
      guard case .array(.members(let columns)) = members[0].schema else { return Printable.line(answer.shown) }
      let rows = table(answer["rows"] ?? .null, columns, style)
      return rows + (answer["next"]?.text.map { "\n\nmore: --after \($0)" } ?? "")
    case .members(let members):
      var parts = Parts()
      parts.add(answer, members, below: "")
      let lists = parts.lists.map { "\($0.label):\n\(table($0.rows, $0.columns, style))" }
      return ((parts.pairs.isEmpty ? [] : [Pairs.text(parts.pairs, style)]) + lists).joined(separator: "\n\n")
    default: return Printable.line(answer.shown)
    }
  }

  /// The members of an object, and of the objects within it.
  private struct Parts {
    var pairs: [(String, String)] = []
    var lists: [(label: String, rows: JSONValue, columns: [AnswerSchema.Member])] = []

    mutating func add(_ answer: JSONValue, _ members: [AnswerSchema.Member], below label: String) {
      for member in members {
        let name = label + Label.text(member.name)
        let value = answer[member.name] ?? .null
        switch member.schema {
        case .array(.members(let columns)): lists.append((name, value, columns))
        case .members(let inner): add(value, inner, below: name + " ")
        default: pairs.append((name, shown(value, member)))
        }
      }
    }
  }

  private static func table(_ rows: JSONValue, _ members: [AnswerSchema.Member], _ style: Style) -> String {
    let columns = members.map { member in
      isNumber(member.schema)
        ? Table.Column.right(heading(member)) : .left(heading(member), shrinks: !isInstant(member.schema))
    }
    let rows = rows.elements.map { element in
      Table.Row(members.map { shown(element[$0.name] ?? .null, $0) })
    }
    return rows.isEmpty ? "none" : Table(columns: columns, rows: rows).text(style)
  }

  private static func heading(_ member: AnswerSchema.Member) -> String { Label.text(member.name).uppercased() }

  private static func shown(_ value: JSONValue, _ member: AnswerSchema.Member) -> String {
    if isInstant(member.schema) { return Instants.text(value.text) }
    return member.name == "pence" || member.name.hasSuffix("Pence") ? value.pounds : value.shown
  }

  private static func isNumber(_ schema: AnswerSchema) -> Bool {
    switch schema {
    case .integer, .number: true
    case .nullable(let schema): isNumber(schema)
    default: false
    }
  }

  private static func isInstant(_ schema: AnswerSchema) -> Bool {
    switch schema {
    case .instant: true
    case .nullable(let schema): isInstant(schema)
    default: false
    }
  }
}
