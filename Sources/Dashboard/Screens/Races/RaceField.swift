import Markup
import Plots
import TextCoding

/// The field of a race: who has which score and place.
enum RaceField {
  private static let rowsMax = 100

  static func strip(_ ranking: [JSONValue], type: String) -> DotStrip {
    let dots = ranking.compactMap { row -> DotStrip.Dot? in
      guard let score = row.whole("score") else { return nil }
      let rank = row.whole("rank")
      let name = row.shown("displayName")
      return DotStrip.Dot(
        value: score,
        title: "\(rank.map { "\($0). " } ?? "")\(name.cut(60).isolated): \(ScoreText.text(score, type: type))",
        label: rank == 1 ? "\(name.cut(20).isolated): \(ScoreText.text(score, type: type))" : nil,
        tone: rank.map { $0 <= 3 ? .good : .light } ?? .held)
    }
    return DotStrip(label: "The scores of \(dots.count) entries", dots: dots) { ScoreText.text($0, type: type) }
  }

  static func table(_ ranking: [JSONValue], type: String, _ state: PageState) -> PageTable {
    let best = ranking.first { $0.whole("rank") == 1 }?.whole("score")
    let rows = ranking.prefix(rowsMax).map { row -> [PageTable.Cell] in
      let (score, athlete, activity) = (row.whole("score"), row.shown("athleteId"), row.shown("activityId"))
      return [
        row.whole("rank").map { .text(String($0)) } ?? .text("–", "warn"),
        .html(
          .link(
            ["athletes", athlete], [.cut(row.shown("displayName")), .text(" "), .tag("span", "muted", text: athlete)])),
        .html(
          .element(
            "span", [Attribute("title", "entry \(row.shown("entryId").cut(20))")],
            [StateText.html(row.shown("entryStatus"))])),
        .html(activity.isEmpty ? HTML() : .link(["reviews", activity], text: activity)),
        .text(score.map { ScoreText.text($0, type: type) } ?? ""),
        .text(score.flatMap { score in best.map { ScoreText.gap(score, behind: $0, type: type) } } ?? "", "muted"),
        .name(row.shown("why"), "wide muted"),
      ]
    }
    return PageTable(
      label: "Leaderboard",
      columns: [
        .number("place"), .text("athlete"), .text("state"), .number("activity"), .number("score"),
        .number("behind"), .text("why"),
      ], rows: rows, isList: true)
  }
}
