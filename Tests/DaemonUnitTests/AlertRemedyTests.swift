import Operations
import TestSupport
import Testing

@testable import Racing
@testable import Strava

@Suite("The remedies of alerts") struct AlertRemedyTests {
  /// The alerts about what `status` finds, too, each with the kind of the problem and its label for the target.
  private static let kinds: [(alert: String, kind: ProblemKind, label: String?)] = [
    ("SettledDatabaseAway", .databaseAway, nil), ("SettledClockStopped", .clockHeld, nil),
    ("SettledDatabaseRestored", .restored, nil), ("SettledBooksDiffer", RacingProblems.booksDiffer, nil),
    ("SettledRaceLate", .jobLate, nil), ("SettledJobLate", .jobLate, nil), ("SettledQuarantined", .quarantined, nil),
    ("SettledJobPaused", .jobPaused, "job"), ("SettledScheduleFailed", .scheduleFailed, "schedule"),
    ("SettledWithdrawalsStopped", RacingProblems.withdrawalsStopped, nil),
    ("SettledCallsShort", StravaProblems.callsShort, nil), ("SettledCallsStopped", StravaProblems.callsStopped, nil),
    ("SettledNotificationsAway", .noNotifications, nil),
  ]

  @Test func `an alert has the remedy that status and doctor have for the same problem`() throws {
    let rules = try Checkout.text("deploy/monitoring/settled.rules.yml").split(separator: "- alert: ")
    for (alert, kind, label) in Self.kinds {
      let rule = try #require(rules.first { $0.hasPrefix(alert + "\n") }, "\(alert)")
      let remedy = try #require(rule.firstMatch(of: /remedy: "([^\n]*)"\n/), "\(alert)").1
      #expect(remedy == kind.remedy(label.map { "{{ $labels.\($0) }}" }), "\(alert)")
    }
  }

  @Test func `each kind of a module's problem has a code of its own, and a remedy`() {
    let kinds = RacingProblems.kinds.merging(StravaProblems.kinds) { first, _ in first }
    #expect(kinds.count == RacingProblems.kinds.count + StravaProblems.kinds.count)
    for (name, kind) in kinds {
      #expect(kind.code.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil && !kind.remedy().isEmpty, "\(name)")
    }
  }
}
