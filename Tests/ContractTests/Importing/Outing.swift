import Postgres

/// A good activity of 10 June 2031, and calls that import it with some keys changed.
enum Outing {
  static let json = """
    {"stravaId": 1001, "name": "n", "activityType": "Kayaking", "startDate": "2031-06-03T10:00:00Z",
     "elapsedTime": 600, "movingTime": 590.5, "distance": 2000.25, "maxSpeed": 4.2,
     "startLocation": {"latitude": 51.5, "longitude": -0.1}, "endLocation": {"latitude": 51.6, "longitude": -0.1},
     "polyline": "abc", "streams": {"time": [0, 1, 2.5], "distance": [0, 3, 3]}}
    """

  /// The same at another time.
  static func json(at start: String) -> String { json.replacing("2031-06-03T10:00:00Z", with: start) }

  /// The call with the keys of `patch` put over the good ones.
  static func call(_ athlete: Int64, _ patch: String = "{}") -> String {
    "SELECT racing.import_activity(\(athlete), '\(json)'::jsonb || '\(patch)')"
  }

  /// The call with the keys of a patch that SQL computes put over the good ones.
  static func call(_ athlete: Int64, computed patch: String) -> String {
    "SELECT racing.import_activity(\(athlete), '\(json)'::jsonb || \(patch))"
  }
}
