import AsyncHTTPClient
import Engine
import NIOHTTP1

/// The provider's activities over HTTPS.
final class HTTPActivities: ActivityProvider {
  static let listBytesMax = 2 * 1024 * 1024
  static let activityBytesMax = 4 * 1024 * 1024
  static let streamBytesMax = 8 * 1024 * 1024

  private let caller: HTTPCaller

  init(_ options: ProviderOptions, time: Timekeeper) {
    caller = HTTPCaller(base: options.apiBase, proxy: options.proxy, time: time)
  }

  func activities(_ span: ActivitySpan, page: Int64, token: String) async throws -> ProviderRead<ActivityPage> {
    let query = "after=\(span.after)&before=\(span.before)&page=\(page)&per_page=\(ActivityPage.sizeMax)"
    return try await read("/athlete/activities?\(query)", token, Self.listBytesMax, ActivityPage.init)
  }

  func activity(_ id: Int64, token: String) async throws -> ProviderRead<FetchedActivity> {
    try await read("/activities/\(id)?include_all_efforts=false", token, Self.activityBytesMax) { body in
      FetchedActivity(body, id: id)
    }
  }

  func streams(of activity: Int64, token: String) async throws -> ProviderRead<String> {
    try await read(
      "/activities/\(activity)/streams?keys=time,distance&key_by_type=true", token, Self.streamBytesMax
    ) { body in
      // The form of a text that the database takes.
      body.contains(0) ? nil : String(validating: body, as: UTF8.self)
    }
  }

  private func read<Value>(
    _ path: String, _ token: String, _ bytesMax: Int, _ decode: ([UInt8]) -> Value?
  ) async throws -> ProviderRead<Value> {
    let answer = try await caller.call(path, answerBytesMax: bytesMax) { request in
      request.headers.add(name: "Authorization", value: "Bearer \(token)")
    }
    let outcome: ProviderRead<Value>.Outcome
    switch answer.status {
    case 200:
      guard let value = decode(answer.body) else {
        throw ProviderFailure(.unreadable, usage: answer.usage, ofReads: answer.readUsage)
      }
      outcome = .found(value)
    case 401: outcome = .refusedToken
    case 404: outcome = .missing
    default: throw answer.failure
    }
    return ProviderRead(outcome: outcome, usage: answer.usage, readUsage: answer.readUsage)
  }
}
