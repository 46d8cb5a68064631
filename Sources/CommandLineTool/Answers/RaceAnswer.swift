/// A race, with why each has the place, the pence and the wait where it was asked for.
struct RaceAnswer: Decodable {
  struct Ranked: Decodable {
    let rank: Int?
    let entryId: Value
    let athleteId: Value
    let activityId: Value?
    let score: Value?
    let why: String
  }

  let members: [String: Value]
  let ranking: [Ranked]?

  private enum Keys: String, CodingKey {
    case ranking
  }

  init(from decoder: any Decoder) throws {
    members = try decoder.singleValueContainer().decode([String: Value].self)
    ranking = try decoder.container(keyedBy: Keys.self).decodeIfPresent([Ranked].self, forKey: .ranking)
  }

  /// The race's identity stands first; the rest follows by name.
  private static let first = ["id", "title", "name", "status", "type", "duration"]
  /// Objects that are shown below, one member a line.
  private static let sections = ["waitingFor", "settlement", "split", "hold"]

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
            ranked.rank.map(String.init) ?? "-", ranked.entryId.text, ranked.athleteId.text,
            ranked.activityId?.text ?? "-",
            Score.text(ranked.score, type: members["type"]?.text ?? ""),
          ], detail: ranked.why)
      }
      let columns: [Table.Column] = [
        .right("RANK"), .right("ENTRY"), .right("ATHLETE"), .right("ACTIVITY"), .right("SCORE"),
      ]
      sections.append(Table(columns: columns, rows: rows).text(style))
    }
    for name in Self.sections {
      guard case .object(let inner)? = members[name] else { continue }
      let pairs = inner.keys.sorted().flatMap { lines($0, inner[$0] ?? .null) }
      sections.append("\(Label.text(name)):\n" + Pairs.text(pairs, style))
    }
    return sections.joined(separator: "\n\n")
  }

  /// One pair, but a line for each payout.
  private func lines(_ name: String, _ value: Value) -> [(String, String)] {
    guard name == "payouts", case .array(let payouts) = value, !payouts.isEmpty else {
      return [(Label.text(name), shown(name, value))]
    }
    return payouts.enumerated().map { index, payout in
      let athlete = payout["athleteId"].map { " (athlete \($0.text))" } ?? ""
      let words = "\(payout["place"]?.text ?? "-"). \(payout["amountPence"]?.pounds ?? "-") to entry "
      return (index == 0 ? name : "", words + (payout["entryId"]?.text ?? "-") + athlete)
    }
  }

  private func shown(_ name: String, _ value: Value) -> String {
    if name.hasSuffix("Pence") { return value.pounds }
    if case .text(let text) = value { return Instants.text(text) }
    return value.text
  }
}
