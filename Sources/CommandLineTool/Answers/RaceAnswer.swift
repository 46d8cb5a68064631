import TextCoding

/// A race, with the reasons for places, pence and waits if requested.
struct RaceAnswer: ShownAnswer {
  struct Ranked: Decodable {
    let rank: Int?
    let entryId: JSONValue
    let athleteId: JSONValue
    /// Nil from an earlier daemon, like the status of the entry.
    let displayName: String?
    let entryStatus: String?
    let activityId: JSONValue?
    let score: JSONValue?
    let why: String
  }

  let members: [String: JSONValue]
  let ranking: [Ranked]?

  private enum Keys: String, CodingKey {
    case ranking
  }

  init(from decoder: any Decoder) throws {
    members = try decoder.singleValueContainer().decode([String: JSONValue].self)
    ranking = try decoder.container(keyedBy: Keys.self).decodeIfPresent([Ranked].self, forKey: .ranking)
  }

  /// The race's identity comes first; the rest follows by name.
  private static let first = ["id", "title", "name", "status", "type", "duration"]
  /// Objects that are shown below, one member a line.
  private static let sections = ["waitingFor", "settlement", "split", "hold", "order"]

  func text(_ style: Style) -> String {
    let explained: Set<String> = Set(Self.sections).union(["ranking"])
    let names =
      Self.first.filter { members[$0] != nil }
      + members.keys.filter { !Self.first.contains($0) && !explained.contains($0) }.sorted()
    var sections = [Pairs.text(names.map { (Label.text($0), shown($0, members[$0] ?? .null)) }, style)]
    if let ranking {
      let rows = ranking.map { ranked in
        Table.Row(
          [
            ranked.rank.map(String.init) ?? "-", ranked.entryId.shown, ranked.athleteId.shown,
            ranked.displayName ?? "-", ranked.entryStatus ?? "-", ranked.activityId?.shown ?? "-",
            Score.text(ranked.score, type: members["type"]?.shown ?? ""),
          ], detail: ranked.why)
      }
      let columns: [Table.Column] = [
        .right("RANK"), .right("ENTRY"), .right("ATHLETE"), .left("NAME", shrinks: true), .left("STATUS"),
        .right("ACTIVITY"),
        .right("SCORE"),
      ]
      sections.append(Table(columns: columns, rows: rows).text(style))
    }
    for name in Self.sections {
      guard case .object(let inner)? = members[name] else { continue }
      let pairs = inner.sorted { $0.0 < $1.0 }.flatMap { lines($0.0, $0.1) }
      sections.append("\(Label.text(name)):\n" + Pairs.text(pairs, style))
    }
    return sections.joined(separator: "\n\n")
  }

  /// One pair, but a line for each payout and each revision.
  private func lines(_ name: String, _ value: JSONValue) -> [(String, String)] {
    if name == "revisions", !value.elements.isEmpty {
      return value.elements.enumerated().map { index, revision in
        let words = "\(revision["revision"]?.shown ?? "-"). \(revision["paidPence"]?.pounds ?? "-") paid by the "
        return (
          index == 0 ? name : "",
          words + "\(revision["reason"]?.shown ?? "-") at \(Instants.text(revision["at"]?.text))"
        )
      }
    }
    guard name == "payouts", case .array(let payouts) = value, !payouts.isEmpty else {
      return [(Label.text(name), shown(name, value))]
    }
    return payouts.enumerated().map { index, payout in
      let athlete = payout["athleteId"].map { " (athlete \($0.shown))" } ?? ""
      let words = "\(payout["place"]?.shown ?? "-"). \(payout["amountPence"]?.pounds ?? "-") to entry "
      return (index == 0 ? name : "", words + (payout["entryId"]?.shown ?? "-") + athlete)
    }
  }

  private func shown(_ name: String, _ value: JSONValue) -> String {
    if name.hasSuffix("Pence") { return value.pounds }
    if case .text(let text) = value { return Instants.text(text) }
    return value.shown
  }
}
