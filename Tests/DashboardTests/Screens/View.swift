import Testing

/// A screen as its address chooses it.
struct View: Sendable, CustomTestStringConvertible {
  let screen: String
  let id: String?
  let query: [String: String]

  init(_ screen: String, _ id: String? = nil, _ query: [String: String] = [:]) {
    (self.screen, self.id, self.query) = (screen, id, query)
  }

  var testDescription: String { name }

  var name: String { ([screen] + (id.map { [$0] } ?? []) + query.keys.sorted()).joined(separator: "-") }

  /// Each screen, each thing that has a page of its own, and what is computed only when asked.
  static let all = [
    View("overview"), View("overview", nil, ["job": "activity-streams"]), View("timeline"), View("schedules"),
    View("schedules", nil, ["cron": "30 1 1 * 5", "cronzone": "Europe/London"]),
    View(
      "schedules", "nightly-report",
      ["audit": "1", "from": "2026-10-01T00:00:00.000Z", "to": "2026-10-02T00:00:00.000Z"]),
    View("races"), View("races", "4417"), View("reviews"), View("reviews", "98217"), View("withdrawals", "88001"),
    View("ledger", nil, ["verify": "1"]), View("ledger", "31480"), View("checkins"),
    View("seasons", nil, ["verify": "1"]), View("strava"), View("athletes", "2208"), View("failures", "88"),
    View("nodes"), View("audit"), View("settings", "racing.grace"), View("doctor"),
  ]
}
