import ControlAPI
import Markup
import Plots
import TextCoding

extension Screen {
  static let seasons = Screen(
    "seasons", title: "Seasons", key: "e", group: "People", parts: [.seasonList, .evaluation, .seasonProof])
}

extension Part {
  private static let ask = Ask("seasons.status")

  fileprivate static let seasonList = Part("list", watches: [everyMinute]) { _ in
    [ask]
  } body: { state, replies in
    replies.card("Seasons", ask, state) { answer in
      let rows = answer.list("seasons").map { row -> [PageTable.Cell] in
        let (points, next) = (row.whole("points") ?? 0, row.whole("nextThreshold"))
        let meter = next.map {
          Meter(label: "\(Amount.grouped(points)) of \(Amount.grouped($0)) points", used: points, limit: $0).svg
        }
        return [
          .text(row.shown("season").cut(20)), .text(row.shown("year")), .text(row.count("points"), "strong"),
          .text("\(row.count("achieved")) of \(row.count("rewards"))"),
          .text(next.map(Amount.grouped) ?? "all reached"),
          .html(meter ?? HTML(), "meters"),
        ]
      }
      return CardContent([
        PageTable(
          label: "Seasons",
          columns: [
            .text("season"), .number("year"), .number("points"), .number("rewards"), .number("next at"), .text(""),
          ], rows: rows
        ).html(orElse: "There are no seasons."),
        Facts.html([
          ("pending changes", .text(answer.count("waitingChanges"))),
          ("oldest change", state.exact(answer.instant("oldestChangeAt"))),
          ("uncounted views", .text(answer.count("uncountedViews"))),
          ("oldest view", state.exact(answer.instant("oldestViewAt"))),
        ]),
      ])
    }
  }

  fileprivate static let evaluation = Part("achievements", watches: [everyFiveSeconds]) { _ in
    [.status]
  } body: { state, replies in
    replies.card("Achievements and rewards", .status, state) { answer in
      let jobs = answer.list("jobs").filter { job in
        ["achievement", "reward", "view", "season", "point"].contains { job.shown("name").contains($0) }
      }
      let rows = jobs.map { job -> [PageTable.Cell] in
        let progress = job.object("progress")
        let (done, total) = (progress?.whole("done") ?? 0, progress?.whole("total") ?? 0)
        return [
          .html(.link(["overview"], query: [("job", job.shown("name").cut(100))], [.cut(job.shown("name").cut(60))])),
          .html(StateText.html(job.shown("state"))), .text(job.count("overdue")),
          .html(state.exact(job.instant("lastRunAt"))),
          .text(total > 0 ? "\(Amount.grouped(done)) of \(Amount.grouped(total))" : ""),
          .html(
            total > 0
              ? Meter(label: "\(Amount.grouped(done)) of \(Amount.grouped(total)) evaluated", used: done, limit: total)
                .svg : HTML(), "meters"),
        ]
      }
      return CardContent(
        note: "evaluation progress",
        [
          PageTable(
            label: "Evaluations",
            columns: [.text("job"), .text("state"), .number("overdue"), .text("last run"), .number("done"), .text("")],
            rows: rows
          ).html(orElse: "There are no evaluation jobs.")
        ])
    }
  }

  private static func verifyAsk(_ state: PageState) -> Ask? {
    state.filter("verify") == nil ? nil : Ask("seasons.verify")
  }

  fileprivate static let seasonProof = Part("proof", isOnDemand: true) { state in
    verifyAsk(state).map { [$0] } ?? []
  } body: { state, replies in
    guard let ask = verifyAsk(state) else {
      let link = HTML.link(["seasons"], query: [("verify", "1")], classes: "btn", text: "Verify now")
      return Card.html("Verification", note: "recomputes all totals on request", [Card.body([link])])
    }
    return replies.card("Verification", ask, state) { answer in
      let differences = answer.list("differences")
      let rows = differences.prefix(100).map { row -> [PageTable.Cell] in
        ["what", "runnerId", "rewardId", "season", "year"].map { .name(row.shown($0)) } + [
          .text(row.count("stored")), .text(row.count("computed")),
        ]
      }
      return CardContent([
        .tag(
          "p", differences.isEmpty ? "body good" : "body bad",
          [
            .sign(differences.isEmpty ? "✓" : "▲"),
            .text(
              " \(answer.count("totals")) totals and \(answer.count("rewards")) rewards: "
                + Amount.counted(Int64(differences.count), "difference", "differences")),
          ]),
        rows.isEmpty
          ? HTML()
          : PageTable(
            label: "Differences",
            columns: [
              .text("what"), .text("runner"), .text("reward"), .text("season"), .text("year"), .number("stored"),
              .number("computed"),
            ],
            rows: Array(rows)
          ).html,
      ])
    }
  }
}
