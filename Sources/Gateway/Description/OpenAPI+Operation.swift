import ControlAPI
import TextCoding

extension OpenAPI {
  /// A route at one of its prefixes.
  func operation(_ route: Route, _ prefix: String) -> String {
    var members = [
      ("operationId", JSONText.quoted(Self.name(route, prefix))), ("summary", JSONText.quoted(route.summary)),
      ("tags", JSONText.array([JSONText.quoted(route.system.rawValue)])),
      ("x-access", JSONText.quoted(route.access.description)), ("security", Self.security(route)),
      ("parameters", JSONText.array(Self.parameters(route))),
    ]
    if let schema = route.bodySchema { members.append(("requestBody", body(schema))) }
    members.append(("responses", responses(route)))
    return JSONText.object(members)
  }

  /// `getV1UsersIdStrava`: one of its own for each method and path.
  private static func name(_ route: Route, _ prefix: String) -> String {
    let words = "\(prefix)/\(route.path)".split { !$0.isLetter && !$0.isNumber }
    return route.method.rawValue.lowercased() + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// A read that everybody may make takes a token as well.
  private static func security(_ route: Route) -> String {
    guard case .everybody = route.access else { return #"[{"bearer":[]}]"# }
    return route.method == .get ? #"[{},{"bearer":[]}]"# : "[]"
  }

  private static func parameters(_ route: Route) -> [String] {
    let inPath = route.path.split(separator: "/").filter { $0.hasPrefix(":") }.map { name in
      located(String(name.dropFirst()), "path", isRequired: true, nil, #"{"type":"string"}"#)
    }
    let inQuery = (route.query + (route.paging?.parameters ?? [])).map {
      located($0.name, "query", isRequired: $0.isRequired, $0.meaning, $0.schema)
    }
    let key: String? =
      switch route.repetition {
      case .plain: nil
      case .kept: "idempotencyKey"
      case .required: "requiredIdempotencyKey"
      }
    let headers = [key, "requestId"].compactMap { $0 }.map { ##"{"$ref":"#/components/parameters/\##($0)"}"## }
    return inPath + inQuery + headers
  }

  private static func located(
    _ name: String, _ place: String, isRequired: Bool, _ meaning: String?, _ schema: String
  ) -> String {
    var members = [
      ("name", JSONText.quoted(name)), ("in", JSONText.quoted(place)), ("required", isRequired ? "true" : "false"),
    ]
    if let meaning { members.append(("description", JSONText.quoted(meaning))) }
    return JSONText.object(members + [("schema", schema)])
  }

  private func body(_ schema: AnswerSchema) -> String {
    JSONText.object([("required", Body.isRequired(schema) ? "true" : "false"), ("content", content(schema))])
  }

  private func content(_ schema: AnswerSchema) -> String {
    JSONText.object([("application/json", JSONText.object([("schema", schema.json(named: names))]))])
  }

  private func responses(_ route: Route) -> String {
    let error = ##"{"$ref":"#/components/responses/\##(route.system.rawValue)Error"}"##
    var members = [route.successStatus, route.otherSuccess?.status].compactMap { $0 }.map { status in
      (String(status), success(route))
    }
    if route.isPublicRead { members.append(("304", #"{"description":"as it was for the ETag that was sent"}"#)) }
    // Else it is a mistake of the server, where a server says it.
    if route.needsConfiguration { members.append(("501", error)) }
    return JSONText.object(members + [("default", error)])
  }

  private func success(_ route: Route) -> String {
    var members = [("description", JSONText.quoted("done"))]
    if route.isPublicRead { members.append(("headers", Self.headers("ETag", route.paging == nil ? nil : "Link"))) }
    if let schema = route.answerSchema { members.append(("content", content(schema))) }
    return JSONText.object(members)
  }

  private static func headers(_ names: String?...) -> String {
    JSONText.object(names.compactMap { $0 }.map { ($0, #"{"schema":{"type":"string"}}"#) })
  }
}

extension Access {
  /// For the description.
  var description: String {
    switch self {
    case .everybody: "everybody"
    case .token: "token"
    case .identity(let identity): "token with \(identity.rawValue)"
    case .own(let identity, let parameter): "token whose \(identity.rawValue) is {\(parameter)}"
    case .role(let role): "token with the role \(role.rawValue)"
    }
  }
}
