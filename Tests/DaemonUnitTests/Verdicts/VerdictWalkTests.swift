import Postgres
import TestSupport
import Testing

@testable import Engine
@testable import Scheduling

@Suite("Every SQLSTATE through every caller") struct VerdictWalkTests {
  private typealias Case = (label: String, error: PostgresError)

  /// The states of PostgreSQL 15 to 18, with their names.
  private static func states() throws -> [(state: String, name: String)] {
    try Checkout.text("Tests/Recorded/sqlstates.txt").split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], words[1])
    }
  }

  private static let own = ["SD400", "SD401", "SD402", "SD403", "SD404", "SD409", "SD429", "SD499", "SD503"]

  /// Every state of the server, our own ones, unknown ones, and every code of the program.
  private static func cases() throws -> [Case] {
    let known: [Case] = try states().map { ("\($0.state) \($0.name)", PostgresError(.server, "x", sqlState: $0.state)) }
    let rules: [Case] = own.map { ("\($0) rule", PostgresError(.server, "x", sqlState: $0)) }
    let unknown: [Case] = ["5Z123", "ZZZZZ", "40", ""].map {
      ("\($0.isEmpty ? "-" : $0) unknown", PostgresError(.server, "x", sqlState: $0))
    }
    let codes: [Case] = PostgresError.Code.allCases.map { ("code \($0.rawValue)", PostgresError($0, "x")) }
    let plan = ServerMessage(fields: [.sqlState: "0A000", .routine: "RevalidateCachedQuery"])
    let ended: [Case] = ["25P03", "25P04", "57P01"].map { (state: String) in
      ("\(state) fatal", PostgresError(.connection, "x", sqlState: state))
    }
    return known + rules + unknown + codes + ended + [("0A000 outdated-plan", PostgresError(server: plan))]
  }

  @Test func `the recorded table has what every caller does about every error`() throws {
    let head = (["state name"] + VerdictCallers.columns.map(\.name)).joined(separator: " ")
    let lines = try Self.cases().map { VerdictCallers.line($0.label, $0.error) }
    let table = ([head] + lines).joined(separator: "\n") + "\n"
    let difference = try Checkout.firstDifference(of: "Tests/Recorded/verdicts.txt", from: table)
    #expect(difference == nil, "SETTLED_WRITE=1 records it")
  }

  @Test func `every class of PostgreSQL stands in the table, and no exception repeats its class`() throws {
    let classes = try Set(Self.states().map { String($0.state.prefix(2)) })
    #expect(classes.subtracting(Verdict.classes.keys).isEmpty)
    #expect(Set(Verdict.classes.keys).subtracting(classes) == ["SD"])
    for (state, verdict) in Verdict.states {
      #expect(Verdict.classes[String(state.prefix(2))] != verdict, "\(state)")
    }
    let known = try Set(Self.states().map(\.state)).union(Self.own)
    #expect(Set(Verdict.states.keys).isSubset(of: known))
  }

  @Test func `no item is blamed for contention, a connection or missing resources`() throws {
    for (label, error) in try Self.cases() {
      let fate = ItemFate(of: error)
      switch error.verdict {
      case .contention: #expect(fate == .waits, "\(label)")
      case .connection, .caller: #expect(fate == .stops, "\(label)")
      case .resource: #expect(fate == .spared, "\(label)")
      case .timeout, .installation: #expect(fate == .doubtful, "\(label)")
      case .item: #expect(fate == .counts, "\(label)")
      }
      #expect((fate == .stops) == !error.verdict.allowsOthers, "\(label)")
    }
  }

  @Test func `no run ends for good by contention, a connection or missing resources before its fifth attempt`() throws {
    for (label, error) in try Self.cases() {
      guard [.contention, .connection, .resource].contains(error.verdict) else { continue }
      for attempt in Int64(1)...100 {
        #expect(RunFate(error.verdict, attempt: attempt, isOperators: false) == .again, "\(label)")
        #expect(
          (RunFate(error.verdict, attempt: attempt, isOperators: true) == .again)
            == (attempt < OccurrenceStatements.attemptsMax), "\(label)")
      }
    }
  }

  @Test func `a reply is refused only for an error that would come again`() throws {
    for (label, error) in try Self.cases() {
      #expect((ReplyFate(of: error) == .refused) == (error.verdict == .item), "\(label)")
    }
  }

  @Test func `callers may repeat what failed for the moment, and nothing else`() throws {
    for (label, error) in try Self.cases() where error.refusalStatus == nil {
      let row = Dictionary(uniqueKeysWithValues: VerdictCallers.columns.map { ($0.name, $0.answer(error)) })
      let passes = ![.item, .installation].contains(error.verdict)
      #expect((row["gateway"] == "503") == passes, "\(label)")
      #expect((row["command"] == "unavailable") == (passes || error.isOfSharedSession), "\(label)")
      #expect((row["migrate"] == "75") == passes, "\(label)")
    }
  }
}
