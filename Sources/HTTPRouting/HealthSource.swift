/// The source of a health socket's answers.
///
/// Each is asked once per request and must answer without waiting for the database: a probe that hangs shows nothing.
package protocol HealthSource: Sendable {
  /// Whether this process takes work; false answers `/health/ready` with 503.
  var isReady: Bool { get async }

  /// The body of `/health/ready`: a JSON object, whether ready or not. It holds names and codes, and no error's text.
  var readiness: String { get async }

  /// The body of `/metrics`: Prometheus text, version 0.0.4.
  var metrics: String { get async }
}
