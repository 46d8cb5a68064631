import ControlAPI
import HTTPRouting
import TextCoding

extension MountedRoute {
  /// `names`: of objects in `components`, by their JSON Schema.
  func operation(named names: [String: String]) -> OpenAPI.Operation {
    var operation = OpenAPI.Operation(route.method.rawValue, template, id: operationId, summary: route.summary)
    operation.annotations = [
      ("tags", JSONText.array([JSONText.quoted(route.system.rawValue)])),
      ("x-access", JSONText.quoted(route.access.description)), ("security", route.security),
    ]
    operation.parameters =
      template.parameters.map(pathParameter) + route.otherParameters
    operation.body = route.bodySchema.map { ($0.json(named: names), Body.isRequired($0)) }
    operation.responses = route.responses(named: names)
    return operation
  }

  /// A segment that is not an id, slug or UUID matches nothing: it is 404, not a bad request.
  private func pathParameter(_ name: String) -> String {
    let schema: AnswerSchema =
      switch name {
      case "uuid": .uuidText
      case "slug": .someWords.example("first-book")
      case "secret":
        .text.pattern("^[A-Za-z0-9_-]{43}$").example("uIY0TqPp5dRtV3vXK2yq0m9b7F1l4cGzNwHsJeA8DgM")
      default: .idText
      }
    return OpenAPI.Parameter(name, in: .path, isRequired: true, schema: schema.json).json
  }

  /// `getV1UsersIdStrava`: one of its own for each method and path.
  private var operationId: String {
    let words = pattern.split { !$0.isLetter && !$0.isNumber }
    return route.method.rawValue.lowercased() + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension Route {
  /// A read that everybody may make takes a token as well.
  fileprivate var security: String {
    switch access {
    case .everybody: method == .get ? #"[{},{"bearer":[]}]"# : "[]"
    case .secret: "[]"
    default: #"[{"bearer":[]}]"#
    }
  }

  /// Those of the query and the header, as JSON.
  fileprivate var otherParameters: [String] {
    let inQuery = (query + (paging?.parameters ?? [])).map {
      OpenAPI.Parameter($0.name, in: .query, isRequired: $0.isRequired, meaning: $0.meaning, schema: $0.schema.json)
        .json
    }
    let key: String? =
      switch repetition {
      case .plain: nil
      case .kept: "idempotencyKey"
      case .required: "requiredIdempotencyKey"
      }
    return inQuery + [key, "requestId"].compactMap { $0 }.map { OpenAPI.reference(to: $0, in: "parameters") }
  }

  fileprivate func responses(named names: [String: String]) -> [(String, String)] {
    let headers = isPublicRead ? ["ETag"] + (paging == nil ? [] : ["Link"]) : []
    let success = OpenAPI.success(answerSchema?.json(named: names), headers: headers)
    let error = OpenAPI.reference(to: system.errorName, in: "responses")
    var responses = [successStatus, otherSuccess?.status].compactMap { $0 }.map { (String($0), success) }
    if isPublicRead { responses.append(("304", #"{"description":"not modified since the ETag that was sent"}"#)) }
    // Only these routes return 501.
    if needsConfiguration { responses.append(("501", error)) }
    return responses + refusalResponses() + [("default", error)]
  }
}

extension System {
  /// The name of its errors in `components`.
  var errorName: String { "\(rawValue)Error" }
}

extension Access {
  /// For the description.
  var description: String {
    switch self {
    case .everybody: "everybody"
    case .token: "token"
    case .identity(let identity): "token with \(identity.rawValue)"
    case .own(let identity, let parameter): "token whose \(identity.rawValue) is {\(parameter)}"
    case .role(let role): "token with the \(role.rawValue) role"
    case .secret(let parameter): "anyone with {\(parameter)}"
    }
  }
}
