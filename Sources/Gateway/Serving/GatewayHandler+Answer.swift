import HTTPServing
import HTTPTypes
import Postgres

extension GatewayHandler {
  /// Carries out a request whose body is there.
  func answer(_ context: RequestContext, _ admitted: Admitted, _ body: [UInt8]) async -> Response {
    do throws(GatewayError) {
      let route = admitted.mounted.route
      var text: String?
      if let schema = route.bodySchema { text = try Body.read(body, schema, depthMax: limits.jsonDepthMax) }
      let call = Call(
        caller: admitted.caller, token: Self.token(context.head), prefix: admitted.mounted.prefix,
        values: admitted.values, query: admitted.query.values, body: text, idempotencyKey: admitted.key,
        page: admitted.page,
        address: admitted.address)
      var response = try await concurrency.run(route, of: call.caller) { () async throws(GatewayError) in
        switch route.action {
        case .work(let work): try await work(call, database)
        case .call(let expression): try await run(try expression(call), call, admitted, context)
        }
      }
      if route.isPublicRead, call.caller == nil { EntityTag.mark(&response, context.head) }
      return finish(context, response)
    } catch {
      return finish(context, error)
    }
  }

  /// The token behind `Bearer`: it was verified before.
  private static func token(_ head: RequestHead) -> String? {
    head.fields[.authorization]?.split(separator: " ").last.map { String($0) }
  }

  private func run(
    _ expression: Statement, _ call: Call, _ admitted: Admitted, _ context: RequestContext
  ) async throws(GatewayError) -> Response {
    let route = admitted.mounted.route
    var key: CallStatement.Key?
    if case .kept = route.repetition, let sent = admitted.key, let caller = call.caller {
      key = IdempotencyKeys.kept(sent, caller, admitted.mounted, call, depthMax: limits.jsonDepthMax)
    }
    let statement = CallStatement.make(expression, caller: call.caller, key: key)
    let mayBeOld = route.method == .get && call.caller == nil
    let answer = try await database.answer(statement, mayBeOld: mayBeOld) ?? "null"
    var response = Response(status: route.success(call))
    if response.hasContent, route.answerSchema != nil {
      response.fields[.contentType] = "application/json"
      response.body = answer
    }
    if let page = call.page, let paging = route.paging {
      response.fields[.link] = paging.link(
        behind: answer, page, base: publicURL + context.head.path, query: admitted.query.pairs)
    }
    return response
  }

  func finish(_ context: RequestContext, _ error: GatewayError, isRecorded: Bool = true) -> Response {
    var response = context.system.response(to: error)
    if !error.allow.isEmpty { response.fields[.allow] = error.allow.joined(separator: ", ") }
    if let hidden = error.hidden { records.failed(context, error, hidden) }
    return finish(context, response, rule: error.rule, isRecorded: isRecorded)
  }

  /// Adds what every answer has, and takes note of the request.
  func finish(
    _ context: RequestContext, _ response: Response, rule: String? = nil, isRecorded: Bool = true
  ) -> Response {
    var response = response
    response.fields[.requestID] = context.id
    // An answer that needed a token, or an error, is for nobody else.
    if response.fields[.cacheControl] == nil { response.fields[.cacheControl] = "no-store" }
    origins.mark(&response, context.head)
    if isRecorded {
      records.answered(context, status: response.status, rule: rule, took: surroundings.now() - context.began)
    }
    return response
  }
}
