import ControlAPI
import Dashboard
import Markup
import Testing
import TextCoding

@Suite("Screens stay small") struct SizeTests {
  /// What a daemon answers at most to what the screens ask: pages of 50 to 200 rows, days of a month to a year.
  @Test(arguments: View.all) func `a full page has at most 100 kB`(_ view: View) throws {
    let recorded = try Answers.recorded()
    var full = recorded.byCommand
    for command in ["race.list", "ledger.journals", "occurrences", "audit.log", "review.list", "withdrawal.list"] {
      full[command] = full[command].map { Self.repeated($0, command == "occurrences" ? 50 : 100) }
    }
    full["failures"] = full["failures"].map { Self.repeated($0, 100) }
    if case .object(let members)? = full["timeline"] {
      full["timeline"] = .object(members.map { ($0.0, $0.0 == "marks" ? Self.marks($0.1, 2_000) : $0.1) })
    }
    let html = Answers(byCommand: full).html(view, Answers.state(view, zone: recorded.london))
    #expect(html.utf8.count <= 100_000, "\(html.utf8.count) bytes")
    let elements = html.utf8.split(separator: UInt8(ascii: "<")).filter { $0.first != UInt8(ascii: "/") }.count
    #expect(elements <= 3_000, "\(elements) elements")
  }

  /// Marks of all lanes, spread over the two days round now: marks of one instant would become one.
  private static func marks(_ value: JSONValue, _ count: Int) -> JSONValue {
    let rows = value.elements
    return .array(
      (0..<count).map { index in
        let at = Answers.now.advanced(bySeconds: Int64(index) * 172_800 / Int64(count) - 86_400)
        return .object(rows[index % rows.count].members.map { ($0.key, $0.key == "at" ? .text(at.text) : $0.value) })
      })
  }

  private static func repeated(_ value: JSONValue, _ count: Int) -> JSONValue {
    switch value {
    case .array(let rows) where !rows.isEmpty: .array((0..<count).map { rows[$0 % rows.count] })
    case .object(let members): .object(members.map { ($0.0, $0.0 == "rows" ? repeated($0.1, min(count, 100)) : $0.1) })
    default: value
    }
  }
}
