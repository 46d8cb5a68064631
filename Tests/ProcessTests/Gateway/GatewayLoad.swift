import Foundation
import Postgres
import Synchronization
import TestSupport

/// Apps that ask gateways over HTTP, one request after the other, until told to stop:
/// deposits with a key, check-ins, reads.
///
/// Answers of the classes 2xx and 4xx are part of life. A request without an answer, or with another one, is kept for
/// the test to find; or it is repeated with its key, where gateways and databases come and go.
final class GatewayLoad: Sendable {
  private struct State {
    var places: [LoopbackClient]
    var isStopped = false
    var calls = 0
    var allowed = 0
    var repeated = 0
    var acknowledged: [String: Int64] = [:]
    var errors: [String] = []
  }

  private struct Request {
    let path: String
    let token: String
    let body: String?
    let key: String
    /// Where it is a deposit.
    let pence: Int64?
  }

  private static let metrics = """
    {"sleepHours": 8, "steps": 12000, "vigorousMinutes": 40, "processedFoodScore": 1, "alcoholUnits": 0,
     "stressLevel": 2, "lateCaffeine": false, "screenLate": false, "bedtimeHour": 22}
    """

  private let state: Mutex<State>
  private let athletes: [Int64]
  private let payments: String
  /// A token of somebody who checks in.
  private let person: String
  /// The answers after which a request is sent again.
  private let repeats: Set<Int>
  private let clients: Mutex<[Task<Void, Never>]> = Mutex([])

  /// Asks what `gateway` serves until `use` names others with the same key. Its person must be onboarded: `person-1`.
  convenience init(
    _ gateway: LiveGateway, athletes: [Int64], clients: Int, random: SeededGenerator, repeats: Bool = false
  ) async throws {
    try await self.init(
      .init(socket: gateway.socket), athletes: athletes, clients: clients, random: random, repeats: repeats ? [503] : []
    ) { try await gateway.token($0) }
  }

  /// - Parameters:
  ///   - repeats: the answers after which a request is sent again, as it is without an answer; none: never.
  ///   - token: signs one for these options of `settled-gateway token`.
  init(
    _ place: LoopbackClient, athletes: [Int64], clients count: Int, random: SeededGenerator, repeats: Set<Int>,
    token: ([String]) async throws -> String
  ) async throws {
    (self.athletes, self.repeats) = (athletes, repeats)
    payments = try await token(["--role", "payments", "--ttl", "24h"])
    person = try await token(["--checkin", "person-1", "--ttl", "24h"])
    state = Mutex(State(places: [place]))
    var random = random
    clients.withLock { clients in
      for number in 0..<count {
        let seed = random.next()
        clients.append(Task { await self.run(number, SeededGenerator(seed: seed)) })
      }
    }
  }

  /// The next requests go to one of these gateways, as a proxy sends them.
  func use(_ gateways: [LiveGateway]) { state.withLock { $0.places = gateways.map { .init(socket: $0.socket) } } }

  func allow(_ more: Int) { state.withLock { $0.allowed += more } }

  var calls: Int { state.withLock(\.calls) }
  /// How many requests there are when all that are allowed have begun.
  var goal: Int { state.withLock(\.allowed) }
  var repeated: Int { state.withLock(\.repeated) }
  var errors: [String] { state.withLock(\.errors) }
  var acknowledged: Int { state.withLock(\.acknowledged.count) }

  func stop() async {
    state.withLock { $0.isStopped = true }
    for client in clients.withLock({ $0 }) { await client.value }
  }

  /// Deposits that were acknowledged and are not booked exactly once.
  func broken(_ owner: Connection) async throws -> [String] {
    let booked = try await owner.query(
      """
      SELECT split_part(j.idempotency_key, '/', 3), p.amount_pence
      FROM racing.journal AS j JOIN racing.posting AS p ON p.journal_id = j.id AND p.account = 'wallet'
      WHERE j.kind = 'deposit' AND j.idempotency_key LIKE '%/http-%'
      """
    ).decode(String.self, Int64.self)
    let sums = Dictionary(booked) { $0 + $1 }
    return state.withLock(\.acknowledged).filter { sums[$0.key] != $0.value }
      .map { "\($0.key) of \($0.value): booked \(sums[$0.key] ?? 0)" }
  }

  private func run(_ client: Int, _ seeded: SeededGenerator) async {
    var random = seeded
    var turn = 0
    while !state.withLock(\.isStopped) {
      guard state.withLock({ $0.calls < $0.allowed }) else {
        try? await pauseBetweenLooks()
        continue
      }
      turn += 1
      state.withLock { $0.calls += 1 }
      await send(request("http-\(client)-\(turn)", &random))
    }
  }

  private func request(_ key: String, _ random: inout SeededGenerator) -> Request {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5:
      let (athlete, pence) = (athletes.randomElement(using: &random) ?? 0, Int64.random(in: 1...99, using: &random))
      let amount = #"{"amount": 1.\#(pence < 10 ? "0" : "")\#(pence)}"#
      return Request(
        path: "/wallets/\(athlete)/deposit", token: payments, body: amount, key: key, pence: 100 + pence)
    case 5..<7: return Request(path: "/races?limit=5", token: payments, body: nil, key: key, pence: nil)
    case 7: return Request(path: "/api/stats/summary", token: person, body: nil, key: key, pence: nil)
    default: return Request(path: "/api/age/daily-update", token: person, body: Self.metrics, key: key, pence: nil)
    }
  }

  private func send(_ request: Request) async {
    repeat {
      let places = state.withLock(\.places)
      let place = places[Int(request.key.utf8.reduce(0) { $0 &* 31 &+ UInt($1) } % UInt(places.count))]
      var what = "no answer"
      do {
        let answer = try await within(.seconds(60), "an answer") {
          try await place.call(
            request.path, body: request.body,
            headers: ["Authorization": "Bearer \(request.token)", "Idempotency-Key": request.key])
        }
        if answer.status < 300 { return acknowledge(request) }
        if answer.status < 500 && (request.pence == nil || answer.status == 409) { return }
        what = "\(answer.status) \(answer.body)"
        if !repeats.contains(answer.status) { return fail(request, what) }
      } catch {
        what = "\(error)"
        if repeats.isEmpty { return fail(request, what) }
      }
      state.withLock { $0.repeated += 1 }
      try? await pauseBetweenLooks()
    } while !state.withLock(\.isStopped)
  }

  private func acknowledge(_ request: Request) {
    if let pence = request.pence { state.withLock { $0.acknowledged[request.key] = pence } }
  }

  private func fail(_ request: Request, _ what: String) {
    state.withLock { $0.errors.append("\(request.path): \(what)") }
  }
}
