package import Markup

/// Speed over distance, coloured by class, with a cross-hair that a script moves.
package struct ProfilePlot: Sendable {
  package struct Sample: Sendable {
    package let metre: Int64
    package let millisecond: Int64
    package let mmPerSecond: Int64

    package init(metre: Int64, millisecond: Int64, mmPerSecond: Int64) {
      (self.metre, self.millisecond, self.mmPerSecond) = (metre, millisecond, mmPerSecond)
    }
  }

  private static let width = 348.0
  private static let height = 300.0
  private static let left = 22.0
  private static let base = 258.0
  package static let samplesMax = 400
  private let label: String
  private let samples: [Sample]
  private let best: (range: ClosedRange<Int64>, text: String)?
  private let lines: [(mmPerSecond: Int64, text: String)]
  private let track: TrackPlot?

  /// `best`: the metres that score. `lines`: speeds of others. `track`: where the cross-hair has its other half.
  package init(
    label: String, samples: [Sample], best: (range: ClosedRange<Int64>, text: String)? = nil,
    lines: [(mmPerSecond: Int64, text: String)] = [], track: TrackPlot? = nil
  ) {
    (self.label, self.best, self.lines, self.track) = (label, best, lines, track)
    self.samples = Self.thinned(samples.filter { $0.metre >= 0 && $0.mmPerSecond >= 0 })
  }

  /// The fastest of each bucket, so that no peak is lost.
  package static func thinned(_ samples: [Sample], to count: Int = samplesMax) -> [Sample] {
    guard samples.count > count, count > 0 else { return samples }
    let size = (samples.count + count - 1) / count
    return stride(from: 0, to: samples.count, by: size).compactMap { start in
      samples[start..<min(samples.count, start + size)].max { $0.mmPerSecond < $1.mmPerSecond }
    }
  }

  package var svg: HTML {
    guard samples.count > 1, let length = samples.last?.metre, length > 0 else {
      return SVG.nothing("no speeds", width: Self.width, label: label)
    }
    let most = max(samples.map(\.mmPerSecond).max() ?? 0, lines.map(\.mmPerSecond).max() ?? 0, 1_000)
    let x = Scale(0, Double(length), to: Self.left, Self.width)
    let y = Scale(0, Double(most) * 1.08, to: Self.base, 26)
    let drawn = background(x) + axes(x, y, length: length, most: most) + bars(x, y) + names(y) + legend + crossHair
    return SVG.drawing(
      Self.width, Self.height, label: label, classes: "plot profile",
      extra: [
        Attribute("data-points", samples.map { point($0, x, y) }.joined(separator: " ")),
        Attribute("tabindex", "0"), Attribute("aria-valuemin", "0"),
        Attribute("aria-valuemax", Self.thousandths(length)), Attribute("aria-valuenow", "0"),
        Attribute("data-i", String(fastest)),
      ], role: "slider", drawn)
  }

  private func background(_ x: Scale) -> [HTML] {
    guard let best else { return [] }
    let (low, high) = (x(best.range.lowerBound), x(best.range.upperBound))
    return [
      SVG.rectangle(x: low, y: 26, width: high - low, height: Self.base - 26, "softwarn", title: best.text),
      SVG.text(best.text, x: Self.width, y: 10, "tw b", .end),
    ]
  }

  private func axes(_ x: Scale, _ y: Scale, length: Int64, most: Int64) -> [HTML] {
    let speeds = AxisTicks.upTo(most / 1_000, count: 5).flatMap { speed in
      [
        SVG.line(Self.left, y(speed * 1_000), Self.width, y(speed * 1_000), "grid"),
        SVG.text(String(speed), x: Self.left - 5, y: y(speed * 1_000) + 4, "", .end),
      ]
    }
    let distances = AxisTicks.upTo(length / 1_000, count: 5).map { kilometre in
      SVG.text("\(kilometre) km", x: x(kilometre * 1_000), y: Self.base + 14, "", .middle)
    }
    return speeds + distances + [SVG.text("m/s", x: 0, y: 22)]
  }

  /// One path for each class of speed, in bars from sample to sample.
  private func bars(_ x: Scale, _ y: Scale) -> [HTML] {
    var paths = [String](repeating: "", count: 6)
    for (index, sample) in samples.enumerated() {
      let left = index == 0 ? Self.left : x(samples[index - 1].metre)
      let (right, top) = (x(sample.metre).coordinate, y(sample.mmPerSecond).coordinate)
      let base = Self.base.coordinate
      paths[SpeedClass.of(sample.mmPerSecond)] += "M\(left.coordinate) \(base)V\(top)H\(right)V\(base)Z"
    }
    return paths.enumerated().filter { !$0.element.isEmpty }.map { SVG.path($0.element, "f\($0.offset)") }
  }

  private func names(_ y: Scale) -> [HTML] {
    lines.enumerated().flatMap { index, line in
      let height = y(line.mmPerSecond)
      return [
        SVG.line(Self.left, height, Self.width, height, "dash"),
        SVG.rectangle(
          x: Self.left + 4, y: height - 12,
          width: min(Self.width - Self.left - 4, Double(line.text.count) * 5.8 + 6), height: 11, "cardfill"),
        SVG.text(line.text, x: Self.left + 7, y: height - 3, "ink"),
      ]
    }
  }

  private var legend: [HTML] {
    let texts = SpeedClass.bounds.map { "to \(Self.metres($0))" } + ["above"]
    return texts.enumerated().flatMap { index, text in
      let x = Self.left + 62 * Double(index)
      return [
        SVG.rectangle(x: x, y: 284, width: 9, height: 9, "f\(index + 1)", radius: 2),
        SVG.text(text, x: x + 13, y: 292),
      ]
    }
  }

  /// Where the cross-hair stands at first.
  private var fastest: Int {
    samples.indices.max { samples[$0].mmPerSecond < samples[$1].mmPerSecond } ?? 0
  }

  private var crossHair: [HTML] {
    [
      SVG.line(Self.left, 26, Self.left, Self.base, "cross", id: "px"),
      SVG.circle(x: Self.left, y: Self.base, radius: 4, "dot", id: "pd"),
    ]
  }

  /// x, y, the place on the map, kilometres, metres a second, seconds.
  private func point(_ sample: Sample, _ x: Scale, _ y: Scale) -> String {
    let place = track?.place(metre: Double(sample.metre))
    return [
      x(sample.metre).coordinate, y(sample.mmPerSecond).coordinate, (place?.x ?? 0).coordinate,
      (place?.y ?? 0).coordinate, Self.thousandths(sample.metre), Self.thousandths(sample.mmPerSecond),
      Self.thousandths(sample.millisecond),
    ].joined(separator: ",")
  }

  private static func thousandths(_ value: Int64) -> String {
    let (whole, rest) = max(0, value).quotientAndRemainder(dividingBy: 1_000)
    return rest == 0 ? String(whole) : "\(whole)." + String(rest + 1_000).dropFirst()
  }

  private static func metres(_ mmPerSecond: Int64) -> String {
    let (whole, rest) = mmPerSecond.quotientAndRemainder(dividingBy: 1_000)
    return rest == 0 ? String(whole) : "\(whole).\(rest / 100)"
  }
}
