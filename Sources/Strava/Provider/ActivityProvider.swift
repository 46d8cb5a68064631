import Engine

/// Lists activities, and gives one or its streams: what reads ask of the provider.
protocol ActivityProvider: Sendable {
  /// A page of an athlete's activities, oldest first. Throws `ProviderFailure`.
  func activities(_ span: ActivitySpan, page: Int64, token: String) async throws -> ProviderRead<ActivityPage>

  /// One activity by its id. Throws `ProviderFailure`.
  func activity(_ id: Int64, token: String) async throws -> ProviderRead<FetchedActivity>

  /// The answer with the streams of time and distance, which is not looked at. Throws `ProviderFailure`.
  func streams(of activity: Int64, token: String) async throws -> ProviderRead<String>
}

/// Whole seconds since 1970, both excluded.
struct ActivitySpan: Sendable, Equatable {
  let after: Int64
  let before: Int64
}

struct ProviderRead<Value: Sendable>: Sendable {
  enum Outcome: Sendable {
    case found(Value)
    /// There is no such thing.
    case missing
    /// The access token is refused.
    case refusedToken
  }

  let outcome: Outcome
  /// The limits of all calls, and those of reads, as the provider states them.
  let usage: [CallBudget.WindowUsage]
  let readUsage: [CallBudget.WindowUsage]
}
