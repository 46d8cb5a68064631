import Foundation
import HTTPServing
import TestSupport
import Testing

@testable import Gateway

@Suite("Random requests", .timeLimit(.minutes(600))) struct FuzzTests {
  /// Of a thousand requests each.
  private static let rounds = ProcessInfo.processInfo.environment["SETTLED_TEST_ROUNDS"].flatMap { Int($0) } ?? 2
  private static let clients = 4

  @Test func `random requests get described answers and cause no error of the gateway`() async throws {
    let seed = SeededGenerator().seed
    print("fuzz: SETTLED_TEST_SEED=\(seed), \(Self.rounds),000 requests")
    let directory = try ScratchDirectory()
    try await SystemWorld.run({ configuration in
      configuration.listen = .path(directory.path + "/http.sock")
      configuration.limits.writesPerSecond = 1_000_000
      configuration.limits.writesBurst = 1_000_000
      configuration.limits.paymentsPerSecond = 1_000_000
      configuration.limits.flagsPerMinute = 1_000_000
      configuration.limits.attemptsPerMinute = 1_000_000
    }) { world in
      let people = try await FuzzPeople(world)
      let description = try await world.description()
      let requests = WildRequests(
        operations: description.document.operations, tokens: people.tokens, goodTokens: people.goodTokens,
        known: people.known, seed: seed)
      let tally = FuzzTally()
      await withTaskGroup { group in
        for client in 0..<Self.clients {
          group.addTask {
            for number in stride(from: client, to: Self.rounds * 1000, by: Self.clients) {
              let request = requests.request(number)
              await tally.add(Self.problems(request, world, description, tally), request, number)
            }
          }
        }
      }
      let all = tally.counts
      for failure in all.failures { Issue.record("\(failure) (SETTLED_TEST_SEED=\(seed))") }
      let mistakes = Set(
        world.log.lines.filter { $0.contains("a request failed") }.map { $0.replacing(/\ request=.*/, with: "") })
      #expect(mistakes == [], "SETTLED_TEST_SEED=\(seed)")
      print(
        "fuzz: statuses \(all.statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))"
      )
      // Requests that are all refused would show nothing.
      let never = description.document.operations.map(\.id).filter { all.succeeded[$0] == nil }
      print("fuzz: \(all.succeeded.count) of \(description.document.operations.count) operations succeeded; never:")
      for operation in never.sorted() { print("  \(operation): \(all.refusals[operation] ?? "-")") }
      #expect(all.succeeded.count * 10 > description.document.operations.count * 7, "SETTLED_TEST_SEED=\(seed)")
    }
  }

  private static func problems(
    _ request: WildRequests.Request, _ world: SystemWorld, _ description: AnswersInSchema, _ tally: FuzzTally
  ) async -> [String] {
    guard let client = try? HTTPClient(world.source) else { return ["no connection"] }
    await client.send(request.bytes)
    guard let text = await client.rest(), let reply = Reply(text) else { return ["no answer"] }
    tally.note(request.operation.id, reply, isTame: request.isTame)
    if reply.status >= 500, reply.status != 501 || request.operation.responses["501"] == nil {
      return ["\(reply.status): \(reply.body)"]
    }
    return description.problems(of: reply, to: request.line)
  }
}
