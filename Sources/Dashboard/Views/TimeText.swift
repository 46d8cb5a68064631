import Cron
import Markup

/// Instants on the clocks of the page's zone, with UTC in the title.
extension PageState {
  /// `14:32`, or with its day; with the abbreviation where clocks stand otherwise than now.
  func brief(_ instant: Instant?) -> HTML { time(instant) { zone.short($0, now: now) + suffix($0) } }

  /// `14:32:07`, or with its day.
  func precise(_ instant: Instant?) -> HTML {
    time(instant) { instant in
      let (then, today) = (zone.local(instant), zone.local(now))
      let year = then.day.year == today.day.year ? "" : " \(then.day.year)"
      return (then.day == today.day ? "" : "\(then.dayAndMonth)\(year) ") + then.timeWithSeconds + suffix(instant)
    }
  }

  /// `14:32`, or `24 Oct 14:32`, for narrow tables.
  func compact(_ instant: Instant?) -> HTML {
    time(instant) { instant in
      let (then, today) = (zone.local(instant), zone.local(now))
      return (then.day == today.day ? "" : then.dayAndMonth + " ") + then.time
    }
  }

  /// With its abbreviation always.
  func exact(_ instant: Instant?) -> HTML { time(instant) { exactText($0) } }

  func exactText(_ instant: Instant) -> String {
    zone.short(instant, now: now) + " " + zone.local(instant).abbreviation
  }

  /// An instant of real time, marked as one where the other instants of the page are of a simulated clock.
  func real(_ instant: HTML) -> HTML {
    guard hasSimulatedClock, !instant.isEmpty else { return instant }
    let title = "real time; the other times come from the database's simulated clock"
    return .joined([
      instant, .text(" "), .element("span", [Attribute("class", "muted"), Attribute("title", title)], text: "real"),
    ])
  }

  /// How long until an instant, counted down by the page.
  func countdown(_ instant: Instant?) -> HTML {
    guard let instant else { return HTML() }
    let left = instant.milliseconds - now.milliseconds
    return .element(
      "time", [Attribute("data-due", instant.text), Attribute("title", PageZone.utc.full(instant))],
      text: left <= 0 ? "now" : Amount.duration(milliseconds: left))
  }

  func age(_ instant: Instant?) -> String {
    instant.map { Amount.duration(milliseconds: max(0, now.milliseconds - $0.milliseconds)) } ?? ""
  }

  private func suffix(_ instant: Instant) -> String {
    let then = zone.local(instant).abbreviation
    return then == zone.local(now).abbreviation ? "" : " " + then
  }

  private func time(_ instant: Instant?, _ text: (Instant) -> String) -> HTML {
    guard let instant else { return HTML() }
    return .element(
      "time", [Attribute("datetime", instant.text), Attribute("title", PageZone.utc.full(instant))],
      text: text(instant))
  }
}
