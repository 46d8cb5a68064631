import HTTPRouting
import HTTPServing
import HTTPTypes

/// Answers the systems' requests: who asks and what for is decided from the head, the rest with the body.
struct GatewayHandler: RequestHandler {
  let table: RouteTable<MountedRoute>
  let callers: any CallerSource
  let database: Database
  let limits: GatewayLimits
  let rates: RequestRates
  let concurrency: ConcurrencyLimits
  let proxies: TrustedProxies
  let publicURL: String
  let origins: CrossOrigin
  let records: RequestRecords
  let surroundings: Surroundings

  /// A route that was found, for a caller who may call it.
  struct Admitted: Sendable {
    let mounted: MountedRoute
    let values: [String: String]
    let query: QueryString
    let caller: Caller?
    let page: Page?
    let key: String?
    let address: IPAddress?
  }

  func standing(of client: Client) -> Standing {
    switch client {
    case .peer: .proxy
    case .address(let text): IPAddress(text).map(proxies.trusts) == true ? .proxy : .ordinary
    }
  }

  func response(to refusal: Refusal, of head: RequestHead?) -> Response {
    guard let head else {
      records.refused(refusal)
      return System.racepace.response(to: GatewayError(refusal))
    }
    var context = RequestContext(head, surroundings)
    // The route is what it would have been; there may be none.
    _ = try? find(&context)
    return finish(context, GatewayError(refusal), isRecorded: !refusal.isRecordedByItsWork)
  }

  func receive(_ head: RequestHead, from client: Client) async -> RouteResult {
    var context = RequestContext(head, surroundings)
    do throws(GatewayError) {
      if let preflight = try preflight(head) { return .response(finish(context, preflight)) }
      let admitted = try await self.admitted(&context, client)
      let wantsBody = admitted.mounted.route.bodySchema != nil
      let bytesMax = wantsBody ? limits.bodyBytesMax(admitted.mounted.route.bodyLimit) : limits.bodyBytesMax
      let sharers = [admitted.address.map { "address \($0.limitKey)" }, context.identity.map { "identity \($0)" }]
      return .work(bodyBytesMax: bytesMax, sharers: sharers.compactMap { $0 }) { [context] body in
        await answer(context, admitted, body)
      }
    } catch {
      return .response(finish(context, error))
    }
  }

  /// The answer to OPTIONS of a listed origin; nil where this is none.
  private func preflight(_ head: RequestHead) throws(GatewayError) -> Response? {
    guard head.method == "OPTIONS", origins.origin(of: head) != nil else { return nil }
    guard case .otherMethods(let routes) = try? table.match(head.method, path: head.path) else { throw .path }
    return origins.preflight(head, Self.allowed(routes, true))
  }

  private func admitted(_ context: inout RequestContext, _ client: Client) async throws(GatewayError) -> Admitted {
    let (mounted, values) = try find(&context)
    let route = mounted.route
    let caller = try await caller(context)
    context.identity = caller?.identity
    let address = proxies.client(of: .init(client), forwardedFor: context.head.fields[values: .forwardedFor])
    try route.access.check(caller, values)
    if let seconds = rates.secondsToWait(route, caller, address, at: context.began) {
      throw .tooMany("too many requests of this kind: try again later", after: seconds)
    }
    try Self.checkEncoding(context.head)
    let query = try QueryString(context.head.query)
    try Paging.refuseOthers(query.values, route)
    return Admitted(
      mounted: mounted, values: values, query: query, caller: caller, page: try route.paging?.page(query.values),
      key: try IdempotencyKeys.read(context.head, route.repetition), address: address)
  }

  /// A body is read as it comes: 415 where it is compressed.
  private static func checkEncoding(_ head: RequestHead) throws(GatewayError) {
    let codings = head.fields[values: .contentEncoding].flatMap { $0.split(separator: ",") }
    guard codings.allSatisfy({ $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "identity" }) else {
      throw GatewayError(415, rule: "content-encoding", "send the body without Content-Encoding")
    }
  }

  private func find(
    _ context: inout RequestContext
  ) throws(GatewayError) -> (MountedRoute, [String: String]) {
    switch try table.match(context.method, path: context.head.path) {
    case .nothing: throw .path
    case .otherMethods(let routes):
      context.system = routes.first?.route.system ?? context.system
      var error = GatewayError.method(context.head.method)
      error.allow = Self.allowed(routes, !origins.origins.isEmpty)
      throw error
    case .route(let mounted, let values):
      context.system = mounted.route.system
      context.pattern = mounted.pattern
      return (mounted, values)
    }
  }

  private static func allowed(_ routes: [MountedRoute], _ hasOptions: Bool) -> [String] {
    let names = routes.map(\.route.method).sorted().flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    return names + (hasOptions ? ["OPTIONS"] : [])
  }

  private func caller(_ context: RequestContext) async throws(GatewayError) -> Caller? {
    let sent = context.head.fields[values: .authorization]
    guard sent.count <= 1 else { throw .badToken("there is more than one Authorization header") }
    do throws(TokenError) {
      return try await callers.caller(of: sent.first)
    } catch {
      throw .badToken(error.description)
    }
  }
}
