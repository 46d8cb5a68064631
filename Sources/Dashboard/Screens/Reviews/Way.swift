/// The way along a track of latitudes and longitudes.
enum Way {
  /// Metres from the first point to each, on a sphere that is flat between neighbours.
  static func metres(_ points: [(latitude: Double, longitude: Double)]) -> [Double] {
    var (sum, metres): (Double, [Double]) = (0, [])
    for (index, point) in points.enumerated() {
      if index > 0 {
        let last = points[index - 1]
        let down = (point.latitude - last.latitude) * 111_195
        let across = (point.longitude - last.longitude) * 111_195 * shrink(point.latitude)
        sum += (down * down + across * across).squareRoot()
      }
      metres.append(sum)
    }
    return metres
  }

  /// The cosine of degrees, by its series.
  private static func shrink(_ degrees: Double) -> Double {
    let square = (degrees * .pi / 180) * (degrees * .pi / 180)
    return 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
  }
}
