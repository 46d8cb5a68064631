/// An area bounded by closed rings: the first is its outline, the others are holes.
///
/// The order of the rings does not matter to the even-odd rule: a point is inside when a ray from it crosses an odd
/// number of edges of all rings together.
struct Polygon: Sendable {
  let rings: [[Location]]
  private let latitudes: ClosedRange<Double>
  private let longitudes: ClosedRange<Double>

  /// nil without a ring of at least three points.
  init?(rings: [[Location]]) {
    let points = rings.joined()
    guard
      !rings.isEmpty, rings.allSatisfy({ $0.count >= 3 }),
      let south = points.map(\.latitude).min(), let north = points.map(\.latitude).max(), south <= north,
      let west = points.map(\.longitude).min(), let east = points.map(\.longitude).max(), west <= east
    else { return nil }
    self.rings = rings
    latitudes = south...north
    longitudes = west...east
  }

  func contains(_ point: Location) -> Bool {
    guard latitudes.contains(point.latitude), longitudes.contains(point.longitude) else { return false }
    return rings.reduce(false) { inside, ring in inside != Self.crossesOddly(ring, eastOf: point) }
  }

  /// Whether the ray from `point` to the east crosses the ring's edges an odd number of times.
  ///
  /// An edge counts with its southern end and without its northern one, so that a ray through a corner counts once.
  private static func crossesOddly(_ ring: [Location], eastOf point: Location) -> Bool {
    var odd = false
    var previous = ring[ring.count - 1]
    for corner in ring {
      if (corner.latitude > point.latitude) != (previous.latitude > point.latitude) {
        let part = (point.latitude - corner.latitude) / (previous.latitude - corner.latitude)
        if point.longitude < corner.longitude + part * (previous.longitude - corner.longitude) { odd.toggle() }
      }
      previous = corner
    }
    return odd
  }
}
