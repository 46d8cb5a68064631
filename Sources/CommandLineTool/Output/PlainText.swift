import ControlAPI
import TextCoding

/// An answer as its description has it: a table of a list of objects, pairs of one object, else the value.
enum PlainText {
  static func text(_ answer: JSONValue, _ schema: AnswerSchema, _ style: Style) -> String {
    switch schema {
    case .array(.members(let members)):
      let columns = members.map { member in
        isNumber(member.schema)
          ? Table.Column.right(heading(member)) : .left(heading(member), shrinks: !isInstant(member.schema))
      }
      let rows = answer.elements.map { element in
        Table.Row(members.map { shown(element[$0.name] ?? .null, $0) })
      }
      return rows.isEmpty ? "none" : Table(columns: columns, rows: rows).text(style)
    case .members(let members):
      return Pairs.text(members.map { (Label.text($0.name), shown(answer[$0.name] ?? .null, $0)) }, style)
    default: return Printable.line(answer.shown)
    }
  }

  private static func heading(_ member: AnswerSchema.Member) -> String { Label.text(member.name).uppercased() }

  private static func shown(_ value: JSONValue, _ member: AnswerSchema.Member) -> String {
    if isInstant(member.schema) { return Instants.text(value.text) }
    return member.name.hasSuffix("Pence") ? value.pounds : value.shown
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
