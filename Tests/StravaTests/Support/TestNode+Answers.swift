import Foundation
import DaemonSupport
import TestSupport
import Testing

/// A node's answers, decoded.
struct Finding: Decodable {
  let check: String
  let ok: Bool
  let finding: String
}

/// A part of what `strava status` answers.
struct StatusAnswer: Decodable {
  struct Window: Decodable { let used, limit: Int }
  struct Budget: Decodable { let window15, day: Window }
  struct Breaker: Decodable {
    let state: String
    let `class`: String?
    let failuresInRow: Int
  }

  let budget: Budget
  let breaker: Breaker
  let errors: [String: Int]
}

extension TestNode {
  /// The text of doctor about one check.
  func doctor(_ check: String) async throws -> Finding {
    let findings = try JSONDecoder().decode([Finding].self, from: Data(await ask("doctor").utf8))
    return try #require(findings.first { $0.check == check })
  }

  func status() async throws -> StatusAnswer {
    try JSONDecoder().decode(StatusAnswer.self, from: Data(await ask("strava.status").utf8))
  }

  /// How much of 15 minutes is used.
  func window() async throws -> String {
    let window = try await status().budget.window15
    return "\(window.used) of \(window.limit)"
  }
}
