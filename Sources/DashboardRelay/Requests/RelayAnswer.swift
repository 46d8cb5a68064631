import ControlAPI

/// An answer of the relay.
struct RelayAnswer: Sendable, Equatable {
  var status: Int
  var contentType: String
  var body: String

  init(_ status: Int, _ contentType: String, _ body: String) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  init(_ problem: Problem) { self.init(problem.status, Problem.contentType, problem.json) }

  static func html(_ text: String) -> RelayAnswer { RelayAnswer(200, "text/html; charset=utf-8", text) }

  /// The fields of every answer. No address but the page's own is loaded, framed or sent to.
  static let fields: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types settled"
    ),
    ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
