import HTTPRouting
import TextCoding

extension Route {
  /// The refusals that not every route has, by status: the rules as the system's errors show them.
  var shownRefusals: [Int: [String]] {
    var shown: [Int: [String]] = [:]
    for (status, rules) in allRefusals {
      for rule in rules {
        let (status, text) = system.shown(status, rule)
        if shown[status]?.contains(text) != true { shown[status, default: []].append(text) }
      }
    }
    return shown.mapValues { $0.sorted() }
  }

  private var allRefusals: [Int: [String]] {
    let byAccess: [Int: [String]] =
      switch access {
      case .everybody, .secret: [401: ["token"]]
      case .token: [401: ["token", "token-missing"]]
      case .identity: [401: ["token", "token-missing"], 403: ["identity"]]
      case .own: [401: ["token", "token-missing"], 403: ["identity", "self"]]
      case .role: [401: ["token", "token-missing"], 403: ["role"]]
      }
    var all = refusals.merging(byAccess) { $0 + $1 }
    if case .kept = repetition, case .everybody = access { return all }
    if case .plain = repetition { return all }
    all[409, default: []].append("idempotency-key")
    return all
  }

  /// Their responses, as JSON.
  func refusalResponses() -> [(String, String)] {
    shownRefusals.sorted { $0.key < $1.key }.map { status, rules in
      let schema = OpenAPI.reference(to: system.errorName, in: "schemas")
      return (
        String(status),
        JSONText.object([
          ("description", JSONText.quoted(rules.joined(separator: ", "))),
          ("x-rules", JSONText.array(rules.map(JSONText.quoted))),
          ("content", OpenAPI.content(schema, as: system.errorContentType)),
        ])
      )
    }
  }
}
