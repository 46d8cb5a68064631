/// How many requests that write are carried out at once: of one caller, so that what waits for its
/// locks leaves connections for the others; and of all callers, imports of activities, which cost
/// the database most. The others wait.
struct ConcurrencyLimits: Sendable {
  private static let waitingMax = 64
  /// No identity is empty.
  private static let imports = ""

  private let semaphore = KeyedSemaphore(waitingMax: waitingMax)
  private let writesMax: Int
  private let paymentsMax: Int
  private let importsMax: Int

  init(_ limits: GatewayLimits) {
    writesMax = limits.concurrentWrites
    // One back end pays for everybody.
    paymentsMax = max(limits.concurrentWrites, limits.poolSize / 2)
    importsMax = limits.concurrentImports
  }

  /// Runs `body` when it is the request's turn. Throws 503 where too many wait.
  func run<Result: Sendable>(
    _ route: Route, of caller: Caller?, _ body: () async throws(GatewayError) -> Result
  ) async throws(GatewayError) -> Result {
    guard let caller, let limit = route.limit, limit != .signIn else { return try await body() }
    let most = caller.roles.contains(.payments) ? paymentsMax : writesMax
    return try await take(caller.identity, most) { () async throws(GatewayError) in
      guard case .activity = route.bodyLimit else { return try await body() }
      return try await take(Self.imports, importsMax, body)
    }
  }

  private func take<Result: Sendable>(
    _ key: String, _ most: Int, _ body: () async throws(GatewayError) -> Result
  ) async throws(GatewayError) -> Result {
    switch await semaphore.take(key, atOnce: most) {
    case .taken: break
    case .full: throw .tryLater("too many requests of this kind are in progress", rule: "busy")
    case .cancelled: throw .tryLater("the request was abandoned")
    }
    defer { semaphore.give(key) }
    return try await body()
  }
}
