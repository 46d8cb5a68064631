import Foundation

/// The program `fake-provider` in a process of its own: a provider of tokens and activities with settable behaviour.
///
/// It ends with the test process at the latest. Its control calls stand here; what a client asks goes through `client`.
package final class FakeProvider: Sendable {
  package static let scopes = "read,activity:read_all,profile:read_all"

  /// Where it answers, such as `http://127.0.0.1:40000`: the base of its OAuth paths and of `/api/v3`.
  package let url: String
  package let clientId = "4711"
  /// A search for it finds nothing else.
  package let clientSecret: String
  package let client: LoopbackClient
  private let process: SettledProcess

  /// Starts the program, and waits until it listens.
  ///
  /// - Parameter given: its client secret; nil: one of its own.
  package init(clientSecret given: String? = nil) async throws {
    let own = "cs_" + (0..<5).map { _ in String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16) }.joined()
    let secret = given ?? own
    let process = try SettledProcess(
      ["--port", "0", "--client-id", clientId, "--client-secret", secret],
      program: SettledProcess.built("fake-provider"))
    let isThere = try await within(.seconds(60), "the address of the provider") { await process.output.contains("\n") }
    let words = process.output.text.split { $0 == " " || $0 == "\n" }
    guard isThere, let url = words.last, let port = url.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw ProviderError(description: "the provider did not start: \(process.errors.text)")
    }
    (clientSecret, self.process) = (secret, process)
    (self.url, client) = (String(url), LoopbackClient(port: port))
  }

  /// Ends the process at once, and with it every connection.
  package func kill() { process.killHard() }

  /// The athlete has agreed in the browser just now; returns the code they come back with.
  ///
  /// - Parameter sex: as they have said it there, M or F.
  package func authorize(_ athlete: Int64, scope: String = scopes, sex: String? = nil) async throws -> String {
    struct Body: Encodable { let athlete: Int64, scope: String, sex: String? }
    struct Answer: Decodable { let code: String }
    return try decoded(Answer.self, await post("authorize", Body(athlete: athlete, scope: scope, sex: sex))).code
  }

  /// The athlete has ended the grant at the provider.
  package func forget(_ athlete: Int64) async throws {
    _ = try await post("forget", ["athlete": athlete])
  }

  /// Sets its time, in seconds of the epoch; nil is the real one.
  package func setClock(_ now: Int64?, runs: Bool = false) async throws {
    struct Body: Encodable { let now: Int64?, runs: Bool }
    _ = try await post("clock", Body(now: now, runs: runs))
  }

  /// Changes what the settings name.
  package func configure(_ settings: ProviderSettings) async throws {
    _ = try await post("settings", settings)
  }

  /// Plants activities (a JSON array) and their streams (a JSON object by id).
  package func plant(_ athlete: Int64, activities: String, streams: String = "{}") async throws {
    let body = "{\"athlete\":\(athlete),\"activities\":\(activities),\"streams\":\(streams)}"
    _ = try await control("activities", body)
  }

  /// A hint of its subscription, in the provider's own JSON; returns how the callback answered it, 0 where it did not.
  ///
  /// `subscription_id` and `event_time` are added where they are absent.
  package func hint(_ hint: String) async throws -> ProviderCallback {
    try decoded(ProviderCallback.self, await control("hint", hint))
  }

  /// Its subscription to webhooks; nil where there is none.
  package func subscription() async throws -> ProviderSubscription? {
    let answer = try await client.call("/_fake/subscription")
    return answer.status == 200 ? try decoded(ProviderSubscription.self, answer.body) : nil
  }

  /// The athlete deletes activities.
  package func delete(_ athlete: Int64, _ ids: [Int64]) async throws {
    _ = try await control("activities", "{\"athlete\":\(athlete),\"deleted\":\(ids)}")
  }

  /// The reads with a good token, in their order.
  package func reads() async throws -> [ProviderReadOf] {
    try decoded([ProviderReadOf].self, await control("reads"))
  }

  package func report() async throws -> ProviderReport {
    try decoded(ProviderReport.self, await control("report"))
  }

  /// Every access token, refresh token and code it ever made.
  package func secrets() async throws -> [String] {
    try decoded([String].self, await control("secrets"))
  }

  /// The state of the athlete's last grant; throws where there was none.
  package func tokens(_ athlete: Int64) async throws -> ProviderTokens {
    try decoded(ProviderTokens.self, await control("tokens/\(athlete)"))
  }

  private func post(_ name: String, _ body: some Encodable) async throws -> String {
    try await control(name, String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
  }

  private func control(_ name: String, _ body: String? = nil) async throws -> String {
    let answer = try await within(.seconds(30), "the provider's answer to \(name)") { [client] in
      try await client.call("/_fake/\(name)", body: body)
    }
    guard answer.status == 200 else { throw ProviderError(description: "\(name): \(answer.status) \(answer.body)") }
    return answer.body
  }

  private func decoded<Value: Decodable>(_: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }
}

/// The provider did not start, or does not understand its own control calls.
package struct ProviderError: Error, CustomStringConvertible {
  package let description: String
}
