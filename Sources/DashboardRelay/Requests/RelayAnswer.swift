import ControlAPI

/// An answer of the relay.
struct RelayAnswer: Sendable, Equatable {
  var status: Int
  var contentType: String
  var body: String
  /// Whether the browser may keep it: it holds nothing of the daemon's, and its address is never another file's.
  var isKept = false
  /// The number of the last beat before its reads; nil where it has none.
  var beat: Int?

  init(_ status: Int, _ contentType: String, _ body: String) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  init(_ problem: Problem) { self.init(problem.status, Problem.contentType, problem.json) }

  static func html(_ text: String) -> RelayAnswer { RelayAnswer(200, "text/html; charset=utf-8", text) }

  var fields: [(String, String)] {
    [("Content-Type", contentType), ("Cache-Control", isKept ? "private, max-age=86400, immutable" : "no-store")]
      + (beat.map { [("Beat", String($0))] } ?? []) + Self.policies
  }

  /// The fields of a stream.
  static func fields(ofStream contentType: String) -> [(String, String)] {
    RelayAnswer(200, contentType, "").fields
  }

  /// No address but the page's own is loaded, framed or sent to.
  private static let policies: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types settled"
    ),
    ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
