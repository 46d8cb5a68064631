import Markup
import Plots
import TextCoding

/// The rows of `occurrences.days`.
enum OccurrenceDays {
  private static let outcomes = ["done", "running", "planned", "skipped", "missed", "failed"]

  static func total(_ day: JSONValue) -> Int64 { outcomes.reduce(0) { $0 &+ max(0, day.whole($1) ?? 0) } }

  static func title(_ day: JSONValue) -> String {
    let texts = outcomes.compactMap { name in
      day.whole(name).flatMap { $0 > 0 ? "\(Amount.grouped($0)) \(name)" : nil }
    }
    return "\(DayText.short(day)): " + (texts.isEmpty ? "none" : texts.joined(separator: ", "))
  }

  static func plot(_ days: [JSONValue], width: Double = 290) -> BarPlot {
    let bars = days.map { day in
      let pieces = zip(outcomes, [.light, .accent, .grey, .held, .warn, .bad] as [Tone]).map { name, tone in
        BarPlot.Piece(day.whole(name) ?? 0, tone)
      }
      return BarPlot.Bar(
        label: DayText.short(day), title: title(day), pieces: pieces)
    }
    return BarPlot(label: "Occurrences per day, by outcome", bars: bars, width: width, tick: Amount.grouped)
  }

  /// The colours of the plot in words.
  static let legend = Swatches.html([("done", .light), ("missed", .warn), ("skipped", .held), ("failed", .bad)])

  static func numbers(_ days: [JSONValue]) -> HTML {
    PlotNumbers.html(
      "occurrences by day", [.text("day")] + outcomes.map { .number($0) },
      days.map { day in [.text(day.shown("day").cut(20))] + outcomes.map { .text(day.count($0)) } })
  }
}
