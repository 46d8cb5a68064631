import Markup
import TextCoding

/// Who gets what of one race: if nobody decides, on approval, and on disqualification.
struct DecisionMatrix {
  private static let rowsMax = 60
  let affected: JSONValue
  /// The athlete of the activity.
  let athlete: (id: Int64?, name: String)

  private var outcomes: [JSONValue?] { ["now", "approve", "disqualify"].map { affected.object($0) } }

  func html(_ state: PageState) -> HTML {
    let people = people
    var rows = people.prefix(Self.rowsMax).map { person in
      [PageTable.Cell.html(name(person))] + outcomes.map { cell(person, $0) }
    }
    if people.count > Self.rowsMax {
      rows.append([
        .text("and \(Amount.grouped(Int64(people.count - Self.rowsMax))) more", "muted"), .empty, .empty, .empty,
      ])
    }
    rows.append([.text("outcome", "muted")] + outcomes.map { .html(StateText.html($0?.shown("outcome") ?? "")) })
    rows.append([.text("pool", "muted")] + outcomes.map { .text($0?.pounds("prizePoolPence") ?? "", "muted") })
    rows.append([.text("refunds", "muted")] + outcomes.map { .text($0?.count("refundsCount") ?? "", "muted") })
    rows.append([.text("waiting for", "muted")] + outcomes.map { .html(Waiting.html($0?.object("waitingFor"), state)) })
    rows.append([.text("revision", "muted")] + outcomes.map { .text($0?.shown("revision") ?? "", "muted") })
    rows.append([.text("wallets changed", "muted")] + outcomes.map { .text($0?.count("netsCount") ?? "", "muted") })
    let shown = rows.filter { row in row.dropFirst().contains { !$0.content.isEmpty && $0.content != .text(" ") } }
    return PageTable(
      label: "What each athlete receives from race \(affected.shown("raceId"))",
      columns: [.text("athlete"), .number("no decision"), .number("approve"), .number("disqualify")], rows: shown,
      classes: "matrix"
    ).html
  }

  /// Somebody who is paid or refunded in one case at least.
  private struct Person: Hashable {
    let athlete: Int64?
    let entry: Int64?
  }

  /// Athletes by entry; a former daemon shows those of payouts and of the activity's own entry alone.
  private var athletes: [Int64: Int64] {
    var athletes: [Int64: Int64] = [:]
    for person in affected.list("people") {
      if let entry = person.whole("entryId"), let id = person.whole("athleteId") { athletes[entry] = id }
    }
    for payout in outcomes.compactMap(\.self).flatMap({ $0.list("payouts") }) {
      if let entry = payout.whole("entryId"), let id = payout.whole("athleteId") { athletes[entry] = id }
    }
    if let entry = affected["field"]?.whole("entryId"), let id = athlete.id { athletes[entry] = id }
    return athletes
  }

  private var people: [Person] {
    let athletes = athletes
    var (people, seen): ([Person], Set<Person>) = ([], [])
    func add(entry: Int64?, athlete: Int64?) {
      let id = athlete ?? entry.flatMap { athletes[$0] }
      // An entry whose athlete is unknown stands for itself.
      guard id ?? entry != nil, seen.insert(Person(athlete: id, entry: id == nil ? entry : nil)).inserted else {
        return
      }
      people.append(Person(athlete: id, entry: entry))
    }
    if let entry = affected["field"]?.whole("entryId") { add(entry: entry, athlete: athlete.id) }
    let outcomes = outcomes.compactMap(\.self)
    for row in outcomes.flatMap({ $0.list("payouts") }).sorted(by: {
      ($0.whole("place") ?? 0) < ($1.whole("place") ?? 0)
    }) {
      add(entry: row.whole("entryId"), athlete: row.whole("athleteId"))
    }
    for row in outcomes.flatMap({ $0.list("nets") }) { add(entry: nil, athlete: row.whole("athleteId")) }
    for row in outcomes.flatMap({ $0.list("refunds") }) { add(entry: row.whole("entryId"), athlete: nil) }
    return people
  }

  private func name(_ person: Person) -> HTML {
    guard let id = person.athlete else { return .text("entry \(person.entry ?? 0)") }
    let known = affected.list("people").first { $0.whole("athleteId") == id }?.shown("displayName")
    let name = known ?? (id == athlete.id ? athlete.name : nil)
    return .link(["athletes", String(id)], [name.map { .cut($0.cut(24)) } ?? .text(String(id))])
  }

  private func cell(_ person: Person, _ outcome: JSONValue?) -> PageTable.Cell {
    guard let outcome else { return .text("–", "muted") }
    let athletes = athletes
    func isTheirs(_ row: JSONValue) -> Bool {
      let id = row.whole("athleteId") ?? row.whole("entryId").flatMap { athletes[$0] }
      return id.map { $0 == person.athlete } ?? (row.whole("entryId") == person.entry)
    }
    var parts: [HTML] = []
    for row in outcome.list("payouts").filter(isTheirs) {
      parts += [.tag("span", "muted", text: "\(row.shown("place")). "), .text(row.pounds("amountPence"))]
    }
    for row in outcome.list("refunds").filter(isTheirs) {
      parts += [.text(row.pounds("amountPence")), .tag("span", "accent", text: " back")]
    }
    for row in outcome.list("nets").filter(isTheirs) {
      parts.append(.tag("span", "accent net", text: "net \(row.pounds("amountPence"))"))
    }
    return parts.isEmpty ? .text("–", "muted") : .html(.joined(parts), "win")
  }
}
