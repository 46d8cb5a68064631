/// A race of the demo: what the source document's mock data has, around a Sunday of 23 hours.
struct DemoRace: Sendable {
  let title: String
  let type: String
  let duration: String
  let category: String
  let startsAt: String
  let endsAt: String
  let entries: Int
  let gender: String
  let bornIn: ClosedRange<Int>
  /// Whether anybody goes out on the water.
  let isPaddled: Bool

  /// In Britain clocks go forward on Sunday 30 March 2031: the day has 23 hours, and
  /// the weeks and months end at 23:00 UTC.
  static let all: [DemoRace] = [
    DemoRace(
      title: "Sunday top speed, senior men", type: "top_speed", duration: "daily", category: "senior_men",
      startsAt: "2031-03-30T00:00:00Z", endsAt: "2031-03-30T23:00:00Z", entries: 34, gender: "male",
      bornIn: 1997...2006, isPaddled: true),
    DemoRace(
      title: "Week's furthest distance, senior women", type: "furthest_distance", duration: "weekly",
      category: "senior_women", startsAt: "2031-03-24T00:00:00Z", endsAt: "2031-03-30T23:00:00Z", entries: 89,
      gender: "female", bornIn: 1997...2006, isPaddled: true),
    DemoRace(
      title: "March's fastest 5 km, masters men", type: "fastest_5km", duration: "monthly", category: "masters_men",
      startsAt: "2031-03-01T00:00:00Z", endsAt: "2031-03-31T23:00:00Z", entries: 145, gender: "male",
      bornIn: 1960...1994, isPaddled: true),
    DemoRace(
      title: "Week's fastest 1 km, men U23", type: "fastest_1km", duration: "weekly", category: "men_u23",
      startsAt: "2031-03-24T00:00:00Z", endsAt: "2031-03-30T23:00:00Z", entries: 42, gender: "male",
      bornIn: 2009...2011, isPaddled: true),
    DemoRace(
      title: "Sunday top speed, junior girls", type: "top_speed", duration: "daily", category: "junior_girls",
      startsAt: "2031-03-30T00:00:00Z", endsAt: "2031-03-30T23:00:00Z", entries: 5, gender: "female",
      bornIn: 2014...2018, isPaddled: false),
  ]

  var feePence: Int64 {
    switch duration {
    case "daily": 100
    case "weekly": 499
    default: 1599
    }
  }

  /// A score as a person reads it; scores are mm/s, cm or ms.
  func shown(score: Int64) -> String {
    switch type {
    case "top_speed": Self.decimal(score * 36 / 10_000, over: score * 36 / 100 % 100) + " km/h"
    case "furthest_distance": Self.decimal(score / 100_000, over: score / 1000 % 100) + " km"
    default: "\(score / 60_000):" + Self.two(score / 1000 % 60) + "." + String(score / 100 % 10)
    }
  }

  private static func decimal(_ whole: Int64, over hundredths: Int64) -> String {
    "\(whole).\(two(hundredths))"
  }

  private static func two(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
