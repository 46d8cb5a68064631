package import Markup

/// A track between lines of latitude and longitude, without a map below it.
package struct TrackPlot: Sendable {
  package struct Point: Sendable {
    /// In degrees.
    package let latitude: Double
    package let longitude: Double
    /// Its place along the track.
    package let metre: Double
    package let mmPerSecond: Int64

    package init(latitude: Double, longitude: Double, metre: Double, mmPerSecond: Int64) {
      (self.latitude, self.longitude) = (latitude, longitude)
      (self.metre, self.mmPerSecond) = (metre, mmPerSecond)
    }
  }

  static let width = 240.0
  static let height = 300.0
  private static let pointsMax = 2_000
  private let label: String
  let points: [Point]
  private let best: ClosedRange<Double>?

  /// `best`: the part that scores, in metres. Points outside of the globe are left out, and those beyond 2,000.
  package init(label: String, points: [Point], best: ClosedRange<Double>? = nil) {
    self.label = label
    self.best = best
    self.points = Array(
      points.lazy.filter { abs($0.latitude) < 89 && abs($0.longitude) <= 180 && $0.metre.isFinite }
        .prefix(Self.pointsMax))
  }

  package var svg: HTML {
    guard points.count > 1, let frame = Frame(points) else {
      return SVG.nothing("no track", width: Self.width, label: label)
    }
    return SVG.drawing(
      Self.width, Self.height, label: label, classes: "plot track",
      frame.graticule + halo(frame) + lines(frame) + kilometres(frame) + ends(frame) + [
        SVG.circle(
          x: frame.place(points[0]).x, y: frame.place(points[0]).y, radius: 4, "dot", id: "md")
      ])
  }

  /// Where a point is drawn; nil where there is no track.
  package func place(metre: Double) -> (x: Double, y: Double)? {
    guard let frame = Frame(points), let point = nearest(metre) else { return nil }
    return frame.place(point)
  }

  private func nearest(_ metre: Double) -> Point? {
    points.min { abs($0.metre - metre) < abs($1.metre - metre) }
  }

  private func halo(_ frame: Frame) -> [HTML] {
    guard let best else { return [] }
    let inside = points.filter { best.contains($0.metre) }
    return inside.count < 2 ? [] : [SVG.path(frame.path(inside), "halo")]
  }

  /// One path for each stretch of one class of speed.
  private func lines(_ frame: Frame) -> [HTML] {
    var (drawn, stretch): ([HTML], [Point]) = ([], [points[0]])
    for (index, point) in points.enumerated().dropFirst() {
      stretch.append(point)
      let name = SpeedClass.of(point.mmPerSecond)
      if index + 1 == points.count || SpeedClass.of(points[index + 1].mmPerSecond) != name {
        drawn.append(SVG.path(frame.path(stretch), "t\(name)"))
        stretch = [point]
      }
    }
    return drawn
  }

  /// At most 20 of them: each, each second, tenth, twentieth and so on.
  private func kilometres(_ frame: Frame) -> [HTML] {
    let length = points.map(\.metre).max() ?? 0
    var step = 1
    while length / 1_000 / Double(step) > 20, step < 100_000 { step *= step % 2 == 0 ? 5 : 2 }
    guard length >= 1_000 * Double(step) else { return [] }
    return stride(from: step, through: Int(min(2_000_000, length) / 1_000), by: step).flatMap { kilometre -> [HTML] in
      guard let point = nearest(Double(kilometre) * 1_000) else { return [] }
      let (x, y) = frame.place(point)
      return [
        SVG.circle(x: x, y: y, radius: 7, "hollow v1", title: "\(kilometre) km"),
        SVG.text(String(kilometre), x: x, y: y + 4, "ink", .middle),
      ]
    }
  }

  private func ends(_ frame: Frame) -> [HTML] {
    [(points[0], "A", "start"), (points[points.count - 1], "B", "end")].flatMap { point, letter, title in
      let (x, y) = frame.place(point)
      return [
        SVG.circle(x: x, y: y, radius: 8, "ink", title: title),
        SVG.text(letter, x: x, y: y + 4, "nowtext b", .middle),
      ]
    }
  }
}
