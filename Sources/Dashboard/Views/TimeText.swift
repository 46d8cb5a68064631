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

  /// With its abbreviation always.
  func exact(_ instant: Instant?) -> HTML { time(instant) { exactText($0) } }

  func exactText(_ instant: Instant) -> String {
    zone.short(instant, now: now) + " " + zone.local(instant).abbreviation
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
