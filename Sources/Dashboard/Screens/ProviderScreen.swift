import ControlAPI
import Markup
import Plots
import TextCoding

extension Screen {
  static let strava = Screen(
    "strava", title: "Strava", key: "p", group: "People", parts: [.budget, .connections, .windows])
}

extension Part {
  fileprivate static let budget = Part("budget", width: .third, watches: [everyMinute]) { _ in
    [.provider]
  } body: { state, replies in
    replies.card("Calls", .provider, state) { answer in
      let waiting = answer["reads"]?["waiting"] ?? .null
      let words = ["results", "claims", "strangers", "hints"].map { "\($0) \(waiting.count($0))" }.joined(
        separator: ", ")
      return CardContent(
        note: "usage compared with the limits",
        [
          Card.body(ProviderView.meters(answer)),
          Facts.html([
            ("waiting reads", .text(words)), ("ran short at", state.exact(answer["reads"]?.instant("shortAt"))),
          ]),
        ])
    }
  }

  fileprivate static let connections = Part("connections", width: .twoThirds, watches: [everyMinute, "command.*"]) {
    _ in
    [.provider]
  } body: { state, replies in
    replies.card("Connections", .provider, state) { answer in
      let breaker = answer["breaker"] ?? .null
      let lost = answer["lostRepliesTotal"] ?? .null
      let subscription = answer.object("subscription")
      return CardContent([
        Card.body([ProviderView.states(answer)]),
        Facts.html([
          ("to revoke", .text(answer.count("toRevoke"))),
          (
            "breaker",
            StateText.html(
              breaker.shown("state"), breaker.shown("state") == "closed" ? "●" : "▲",
              breaker.shown("state") == "closed" ? .good : .bad)
          ),
          ("since", state.exact(breaker.instant("since"))), ("class", .text(breaker.shown("class").cut(40))),
          ("consecutive failures", .text(breaker.count("failuresInRow"))),
          ("key", .tag("code", text: answer.shown("keyId").cut(60))),
          ("sealed with old keys", .text(answer.count("sealedWithOldKeys"))),
          ("lost in transit", .text(lost.count("wire"))), ("lost with a node", .text(lost.count("node"))),
          ("still open", .text(lost.count("open"))),
        ]), subscription.map { subscribed($0, state) } ?? .none("There is no webhook subscription."),
        counts("Reconnection needed, by cause", answer["needsReauth"]), counts("Errors", answer["errors"]),
        lostReplies(answer, state),
        refreshes(answer, state),
      ])
    }
  }

  private static func subscribed(_ subscription: JSONValue, _ state: PageState) -> HTML {
    Facts.html([
      ("webhooks", StateText.html(subscription.shown("state"))), ("subscription", .text(subscription.shown("id"))),
      ("callback", .cut(subscription.shown("callback").cut(200))),
      ("requested", state.exact(subscription.instant("askedAt"))),
      ("confirmed", state.exact(subscription.instant("confirmedAt"))), ("hints", .text(subscription.count("hints"))),
      ("last hint", state.exact(subscription.instant("lastHintAt"))),
    ])
  }

  private static func counts(_ title: String, _ value: JSONValue?) -> HTML {
    guard case .object(let members)? = value else { return HTML() }
    let shown = members.compactMap { name, count in count.integer.map { (name, HTML.text(Amount.grouped($0))) } }
    return shown.isEmpty ? HTML() : .joined([.tag("h3", text: title), Facts.html(shown)])
  }

  private static func lostReplies(_ answer: JSONValue, _ state: PageState) -> HTML {
    let rows = answer.list("lostReplies").prefix(100).map { row -> [PageTable.Cell] in
      let athlete = row.shown("athleteId")
      return [
        .html(.link(["athletes", athlete], text: athlete)), .text(row.shown("kind")), .text(row.shown("cause")),
        .html(state.exact(row.instant("at"))),
        .html(row.isTrue("isLost") ? StateText.html("lost", "✕", .bad) : StateText.html("open", "▲", .warn)),
      ]
    }
    guard !rows.isEmpty else { return HTML() }
    return .joined([
      .tag("h3", text: "Lost replies"),
      PageTable(
        label: "Lost replies",
        columns: [.number("athlete"), .text("kind"), .text("cause"), .text("at"), .text("state")],
        rows: Array(rows)
      ).html,
    ])
  }

  private static func refreshes(_ answer: JSONValue, _ state: PageState) -> HTML {
    let rows = answer.list("nextRefreshes").prefix(20).map { row -> [PageTable.Cell] in
      let (athlete, id) = (row.shown("athleteId"), row.whole("athleteId") ?? 0)
      var refresh = ChangeDialog(.stravaRefresh, ["id": .integer(id)], id: "refresh-\(id)", label: "Refresh")
      refresh.before = .joined([.text("due "), state.exact(row.instant("at"))])
      refresh.after = .text("The token will be refreshed immediately.")
      return [
        .html(.link(["athletes", athlete], text: athlete)), .html(state.exact(row.instant("at"))),
        .html(state.countdown(row.instant("at"))),
        .html(refresh.html(state)),
      ]
    }
    return .joined([
      .tag("h3", text: "Next refreshes"),
      PageTable(
        label: "Next refreshes", columns: [.number("athlete"), .text("at"), .text("in"), .text("")], rows: Array(rows)
      ).html(orElse: "No token is waiting for a refresh."),
    ])
  }

  fileprivate static let windows = Part("windows", watches: [everyMinute]) { _ in
    [.provider]
  } body: { state, replies in
    replies.card("Windows and refreshes", .provider, state) { answer in
      let windows = answer.list("windows")
      let hours = answer.list("refreshesByHour")
      let names = Set(windows.map { $0.shown("budget") }).sorted().prefix(4)
      let plots = names.map { name in
        let rows = windows.filter { $0.shown("budget") == name }.sorted {
          ($0.instant("startsAt")?.milliseconds ?? 0) < ($1.instant("startsAt")?.milliseconds ?? 0)
        }
        let bars = rows.map { row in
          let (used, limit) = (row.whole("used") ?? 0, row.whole("limit") ?? 0)
          let at = row.instant("startsAt").map { state.exactText($0) } ?? ""
          return BarPlot.Bar(
            title:
              "\(at): \(Amount.grouped(used)) of \(Amount.grouped(limit)) in \(Amount.duration(milliseconds: (row.whole("seconds") ?? 0) &* 1_000))",
            pieces: [.init(min(used, limit), .main), .init(max(0, used &- limit), .bad)])
        }
        return HTML.joined([
          .tag("h3", text: "Windows: \(name.cut(40))"),
          Card.body([
            BarPlot(
              label: "Calls in each window compared with its limit, \(name.cut(40).isolated)", bars: bars, width: 1_160,
              limit: rows.compactMap { $0.whole("limit") }.max(), tick: Amount.grouped
            ).svg
          ]),
        ])
      }
      let bars = hours.map { row in
        let at = row.instant("hour")
        return BarPlot.Bar(
          label: at.map { state.zone.local($0).time },
          title: "\(at.map { state.exactText($0) } ?? ""): \(row.count("count")) refreshes",
          pieces: [.init(row.whole("count") ?? 0, .light)])
      }
      return CardContent(
        Array(plots) + [
          .tag("h3", text: "Upcoming refreshes by hour"),
          Card.body([
            BarPlot(label: "Upcoming refreshes per hour", bars: bars, width: 1_160, tick: Amount.grouped).svg
          ]),
          PlotNumbers.html(
            "windows", [.text("budget"), .text("starts"), .number("lasts"), .number("used"), .number("limit")],
            windows.map { row in
              [
                .name(row.shown("budget").cut(40)), .html(state.exact(row.instant("startsAt"))),
                .text(Amount.duration(milliseconds: (row.whole("seconds") ?? 0) &* 1_000)), .text(row.count("used")),
                .text(row.count("limit")),
              ]
            }),
          PlotNumbers.html(
            "refreshes by hour", [.text("hour"), .number("refreshes")],
            hours.map { [.html(state.exact($0.instant("hour"))), .text($0.count("count"))] }),
        ])
    }
  }
}
