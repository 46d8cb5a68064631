import Markup
import Plots
import TextCoding

/// The track and the speeds of an activity, beside the field of its race.
enum Evidence {
  /// `field`: that of the first race that the activity counts in.
  static func plots(_ activity: JSONValue, field: JSONValue?, _ state: PageState) -> HTML {
    let samples = samples(activity)
    let best = best(activity, field)
    let range = best.map { Double($0.from)...Double($0.to) }
    let length = Measure.distance(activity.measure("distanceM"))
    let track = TrackPlot(
      label: "The track of \(length), coloured by speed" + (best.map { "; \($0.text)" } ?? ""),
      points: points(activity, samples), best: range)
    let profile = ProfilePlot(
      label: "Speed over distance; the arrow keys move the crosshair", samples: samples,
      best: best.map { ($0.from...$0.to, $0.text) }, lines: lines(field), track: track)
    let hasTrack = !activity.list("points").isEmpty
    return .joined([
      hasTrack
        ? .tag("div", "pair", [.tag("div", "", [track.svg]), .tag("div", "", [profile.svg])])
        : .tag("div", "pad", [.tag("p", "muted", text: "The activity has no track."), profile.svg]),
      strip(activity, field), numbers(samples, activity),
    ])
  }

  private static func samples(_ activity: JSONValue) -> [ProfilePlot.Sample] {
    activity.list("samples").compactMap { sample in
      guard let metre = sample.measure("metre"), abs(metre) < 1e9 else { return nil }
      return ProfilePlot.Sample(
        metre: Int64(metre), millisecond: sample.whole("millisecond") ?? 0,
        mmPerSecond: sample.whole("mmPerSecond") ?? 0)
    }
  }

  /// Points have no distance of their own: the way between them is stretched to the activity's length.
  private static func points(_ activity: JSONValue, _ samples: [ProfilePlot.Sample]) -> [TrackPlot.Point] {
    let pairs = activity.list("points").compactMap { point -> (Double, Double)? in
      let values = point.elements.compactMap { value -> Double? in
        switch value {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        default: nil
        }
      }
      return values.count == 2 ? (values[0], values[1]) : nil
    }
    let metres = Way.metres(pairs)
    let length = activity.measure("distanceM") ?? metres.last ?? 0
    let ratio = (metres.last ?? 0) > 0 ? length / (metres.last ?? 1) : 0
    var next = 0
    return zip(pairs, metres).map { pair, metre in
      let along = metre * ratio
      while next + 1 < samples.count, Double(samples[next].metre) < along { next += 1 }
      let speed = samples.isEmpty ? 0 : samples[next].mmPerSecond
      return TrackPlot.Point(latitude: pair.0, longitude: pair.1, metre: along, mmPerSecond: speed)
    }
  }

  private static func best(_ activity: JSONValue, _ field: JSONValue?) -> (from: Int64, to: Int64, text: String)? {
    let isOne = field?.shown("type") == "fastest_1km"
    guard let stretch = activity["best"]?.object(isOne ? "km1" : "km5") ?? activity["best"]?.object("km1"),
      let from = stretch.measure("fromMetre"), let to = stretch.measure("toMetre"), from >= 0, to > from, to < 1e9,
      let ms = stretch.whole("ms")
    else { return nil }
    let length = to - from > 2_000 ? "5 km" : "1 km"
    return (Int64(from), Int64(to), "fastest \(length): \(Amount.clock(milliseconds: ms))")
  }

  /// The speeds of the others, where the race is about speed.
  private static func lines(_ field: JSONValue?) -> [(mmPerSecond: Int64, text: String)] {
    guard let field else { return [] }
    let type = field.shown("type")
    let own = field.whole("score")
    let others = field.list("best").compactMap(\.integer).first { $0 != own }
    return [("best of the others", others), ("median of the field", field.whole("median"))].compactMap { name, score in
      score.flatMap { speed($0, type) }.map { ($0, "\(name): \(Amount.thousandths($0).dropLast())") }
    }
  }

  private static func speed(_ score: Int64, _ type: String) -> Int64? {
    switch type {
    case "top_speed": score
    case "fastest_1km": score > 0 ? 1_000_000_000 / score : nil
    case "fastest_5km": score > 0 ? 5_000_000_000 / score : nil
    default: nil
    }
  }

  private static func strip(_ activity: JSONValue, _ field: JSONValue?) -> HTML {
    guard let field else { return HTML() }
    let type = field.shown("type")
    let own = field.whole("score")
    var dots = field.list("best").compactMap(\.integer).filter { $0 != own }.map { score in
      DotStrip.Dot(value: score, title: ScoreText.text(score, type: type))
    }
    if let own {
      let text = "\(activity.shown("id")): \(ScoreText.text(own, type: type))"
      dots.append(DotStrip.Dot(value: own, title: text, label: text, tone: .bad))
    }
    let median = field.whole("median").map { [(value: $0, text: "median \(ScoreText.text($0, type: type))")] } ?? []
    let plot = DotStrip(
      label: "The score compared with the best scores in a field of \(field.count("ranked"))", dots: dots, lines: median
    ) { ScoreText.text($0, type: type) }
    return .tag("div", "pad", [plot.svg])
  }

  private static func numbers(_ samples: [ProfilePlot.Sample], _ activity: JSONValue) -> HTML {
    let thinned = ProfilePlot.thinned(samples, to: 100)
    return PlotNumbers.html(
      "speeds: \(thinned.count) of \(activity.count("samplesCount")) samples, \(activity.count("pointsCount")) points",
      [.number("metre"), .number("after"), .number("m/s")],
      thinned.map { sample in
        [
          .text(Amount.grouped(sample.metre)), .text(Amount.clock(milliseconds: sample.millisecond)),
          .text(Amount.thousandths(sample.mmPerSecond)),
        ]
      })
  }
}
