import Markup

extension TrackPlot {
  /// The part of the globe that is drawn: degrees of longitude are as wide as they are at its middle.
  struct Frame {
    private let west: Double
    private let north: Double
    private let south: Double
    private let east: Double
    /// Pixels a degree of latitude, and of longitude.
    private let down: Double
    private let across: Double
    private let left: Double
    private let top: Double

    /// nil: no points.
    init?(_ points: [Point]) {
      let longitudes = points.map { Self.unwrapped($0.longitude, by: points[0].longitude) }
      guard let west = longitudes.min(), let east = longitudes.max(),
        let south = points.map(\.latitude).min(), let north = points.map(\.latitude).max()
      else { return nil }
      (self.west, self.east, self.south, self.north) = (west, east, south, north)
      reference = points[0].longitude
      let ratio = Self.cosine((south + north) / 2)
      let (margin, least) = (30.0, 0.0005)
      let tall = (TrackPlot.height - 2 * margin) / max(least, north - south)
      let wide = (TrackPlot.width - 2 * margin - 20) / max(least, (east - west) * ratio)
      down = min(tall, wide)
      across = down * ratio
      left = (TrackPlot.width - 40 - (east - west) * across) / 2
      top = (TrackPlot.height - (north - south) * down) / 2
    }

    private let reference: Double

    func place(_ point: Point) -> (x: Double, y: Double) {
      let longitude = Self.unwrapped(point.longitude, by: reference)
      return (left + (longitude - west) * across, top + (north - point.latitude) * down)
    }

    /// Points that stand within half a pixel of the last are left out.
    func path(_ points: [Point]) -> String {
      var (text, last): (String, (x: Double, y: Double)?) = ("", nil)
      for (index, point) in points.enumerated() {
        let (x, y) = place(point)
        if let last, index + 1 < points.count, abs(last.x - x) + abs(last.y - y) < 0.7 { continue }
        text += (last == nil ? "M" : "L") + "\(x.coordinate) \(y.coordinate)"
        last = (x, y)
      }
      return text
    }

    var graticule: [HTML] {
      let (height, width) = (TrackPlot.height, TrackPlot.width)
      var drawn: [HTML] = []
      for latitude in AxisTicks.between(north - (height - top) / down, north + top / down, count: 6) {
        let y = top + (north - latitude) * down
        drawn.append(SVG.line(0, y, width, y, "grid"))
        if y > 30, y < height - 24 {
          drawn.append(SVG.text(Self.degrees(latitude, "N", "S"), x: width - 2, y: y - 3, "", .end))
        }
      }
      for (index, longitude) in AxisTicks.between(west - left / across, west + (width - left) / across, count: 5)
        .enumerated()
      {
        let x = left + (longitude - west) * across
        drawn.append(SVG.line(x, 0, x, height, "grid"))
        if index % 2 == 1, x < width - 60 {
          drawn.append(SVG.text(Self.degrees(longitude, "E", "W"), x: x + 3, y: height - 4))
        }
      }
      return drawn + ruler
    }

    /// The longest of 100 m, 1 km, 10 km and so on that fits a third of the width.
    private var ruler: [HTML] {
      let pixels = down / 111_195
      var metres = 10.0
      while metres * 10 * pixels < TrackPlot.width / 3, metres < 1e6 { metres *= 10 }
      let text = metres < 1_000 ? "\(Int(metres)) m" : "\(Int(metres / 1_000)) km"
      return [
        SVG.line(4, 16, 4 + metres * pixels, 16, "now"), SVG.text(text, x: 4, y: 11, "ink"),
      ]
    }

    private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
      let thousandths = Int((abs(value) * 1_000).rounded())
      let rest = String(thousandths % 1_000 + 1_000).dropFirst()
      return "\(thousandths / 1_000).\(rest)° \(value < 0 ? negative : positive)"
    }

    /// Within half a turn of `reference`, so that a track over 180° stays whole.
    private static func unwrapped(_ longitude: Double, by reference: Double) -> Double {
      longitude - reference > 180 ? longitude - 360 : longitude - reference < -180 ? longitude + 360 : longitude
    }

    /// By its series: six terms are exact to a millionth up to 90°.
    private static func cosine(_ degrees: Double) -> Double {
      let square = (degrees * .pi / 180) * (degrees * .pi / 180)
      return 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
    }
  }
}
