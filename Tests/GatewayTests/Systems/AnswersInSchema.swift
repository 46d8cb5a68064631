import ControlAPI
import TextCoding
import TestSupport

/// Holds answers against the description that the gateway serves.
struct AnswersInSchema: Sendable {
  let document: OpenAPIDocument

  /// Where an answer differs from what is described for its route and status; `line` as `GET /races?limit=1`.
  func problems(of reply: Reply, to line: String) -> [String] {
    let words = line.split(separator: " ")
    let (method, path) = (String(words[0]), words[1].split(separator: "?", omittingEmptySubsequences: false)[0])
    if let operation = document.operation(method, path) {
      guard let response = operation.response(reply.status) else { return ["\(reply.status) is not described"] }
      let isError = operation.responses[String(reply.status)] == nil
      if isError, reply.status < 400 { return ["\(reply.status) is not described"] }
      return Self.problems(of: reply, response, hasBody: method != "HEAD") + Self.unlisted(reply, operation)
    }
    // Nothing is served there, or not with this method.
    if method == "OPTIONS", reply.status == 204 { return [] }
    guard reply.status >= 400 else { return ["\(reply.status), and nothing is described there"] }
    let tries = document.errors.map { Self.problems(of: reply, $0, hasBody: method != "HEAD") }
    return tries.min { $0.count < $1.count } ?? ["no error is described"]
  }

  /// Refusals that every route has, by the server and by limits, and those of a copy of the database.
  private static let common: Set = ["rate", "busy", "timeout", "unavailable", "bug"]

  /// A refusal whose rule the route does not list, where it depends on the route.
  private static func unlisted(_ reply: Reply, _ operation: OpenAPIDocument.Operation) -> [String] {
    guard [401, 402, 403, 404, 409, 429, 503].contains(reply.status), let value = try? JSONValue(reply.body),
      let rule = value["rule"]?.text ?? value["code"]?.text, !common.contains(rule)
    else { return [] }
    let listed = operation.responses[String(reply.status)]?.rules ?? []
    return listed.contains(rule) ? [] : ["\(reply.status) \(rule) is not among the route's refusals \(listed)"]
  }

  private static func problems(of reply: Reply, _ response: OpenAPIDocument.Response, hasBody: Bool) -> [String] {
    guard let schema = response.schema else { return reply.body.isEmpty ? [] : ["a body where none is described"] }
    var problems: [String] = []
    if reply["Content-Type"] != response.contentType {
      problems.append("the content type is \(reply["Content-Type"] ?? "-")")
    }
    guard hasBody else { return problems }
    guard let value = try? JSONValue(reply.body) else { return problems + ["the body is not JSON: \(reply.body)"] }
    var check = AnswerCheck(allowsSeconds: true)
    check.check(value, schema, at: .init("body"))
    return problems + check.problems
  }
}
