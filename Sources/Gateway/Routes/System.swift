/// A system of the documents: where its routes are mounted, and how it words errors.
package enum System: String, Sendable, CaseIterable {
  case racepace, seasons, talks, gread, checkin

  /// The paths before those of its routes.
  package var prefixes: [String] {
    switch self {
    case .racepace: ["", "/v1"]
    case .seasons, .talks: ["/api/v1"]
    case .gread: ["/gread/v1", "/gread/v2", "/wp-json/gread/v1", "/wp-json/gread/v2"]
    case .checkin: ["/api"]
    }
  }

  /// The system whose words fit a path that no route has.
  package static func nearest(to path: some StringProtocol) -> System {
    let bases: [(String, System)] = [
      ("/api/v1", .seasons), ("/api", .checkin), ("/gread", .gread), ("/wp-json", .gread),
    ]
    return bases.first { path == $0.0 || path.hasPrefix($0.0 + "/") }?.1 ?? .racepace
  }
}
