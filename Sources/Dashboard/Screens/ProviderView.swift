import Markup
import Plots
import TextCoding

/// What `strava.status` and the overview share.
enum ProviderView {
  /// `brief`: only those of tokens.
  static func meters(_ answer: JSONValue, brief: Bool = false) -> [HTML] {
    let all = [
      ("tokens, this quarter hour", answer["budget"]?["window15"]), ("tokens, today (UTC)", answer["budget"]?["day"]),
      ("reads, this quarter hour", answer["reads"]?["budget"]?["window15"]),
      ("reads, today (UTC)", answer["reads"]?["budget"]?["day"]),
      ("tokens needed per day", answer["demand"]?["tokens"]), ("reads needed per day", answer["demand"]?["reads"]),
    ]
    return all.filter { !brief || $0.0.hasPrefix("tokens") }.compactMap { name, usage in
      usage.flatMap { meter(name, $0) }
    }
  }

  private static func meter(_ name: String, _ usage: JSONValue) -> HTML? {
    guard let used = usage.whole("used") ?? usage.whole("needed"),
      let limit = usage.whole("limit") ?? usage.whole("allowed")
    else { return nil }
    let text = "\(Amount.grouped(used)) of \(Amount.grouped(limit))"
    let isOver = used > limit
    return .tag(
      "div", "meter",
      [
        .tag("span", "", text: name),
        .tag("span", isOver ? "num bad" : "num", [.text(isOver ? "▲ " : ""), .tag("b", text: text)]),
        Meter(label: "\(name): \(text)", used: used, limit: limit).svg,
      ])
  }

  static func states(_ answer: JSONValue) -> HTML {
    let states = answer["states"] ?? .null
    let parts = ["active", "connecting", "needs_reauth", "revoked"].compactMap { name in
      states.whole(name).map { count in
        HTML.tag("span", "nowrap", [.tag("b", text: Amount.grouped(count)), .text(" "), StateText.html(name)])
      }
    }
    return .tag("p", "muted", [.joined(parts, by: .text(" · "))])
  }
}
