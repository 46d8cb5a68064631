/// A point on the earth, WGS84, in degrees: north and east are positive.
package struct Location: Hashable, Sendable {
  package let latitude: Double
  package let longitude: Double

  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
