import Engine
import Postgres

/// Commits the replies that the spool has: of a process before this one, or those that the database refused at first.
///
/// It continues regardless of the clocks, and while the node drains. An athlete whose reply waits here is not called
/// for by this node. The lease of the call is given back with it, so that nobody has to wait it out. In a copy of the
/// database the files wait for the operator's answer: they may be the original's.
struct SpoolWork: Work {
  let name = "token-spool"
  let isListed = false
  let isUnconditional = true
  let spool: Spool
  let sealer: Sealer
  let pool: Pool

  var nextDue: String {
    spool.waiting.isEmpty ? "SELECT NULL::timestamptz" : "SELECT settled.clock()"
  }

  func runDue(until stopFlag: StopFlag, due: Duration) async -> RunOutcome {
    var outcome = RunOutcome(items: 0)
    for file in spool.files where !stopFlag.isRequested {
      guard let athlete = Int64(file.prefix { $0 != "." }) else { continue }
      do {
        let tokens = try spool.read(file)
        let isElsewhere = try await pool.transaction { [sealer] transaction in
          if try await transaction.query(RestoreStatements.isElsewhere).one(Bool.self) { return true }
          try await tokens.keep(in: transaction, sealer, isLate: true)
          transaction.beforeCommit(TokenRows.giveBack(lease: tokens.lease))
          return false
        }
        if isElsewhere {
          outcome.retryIn = .seconds(5)
          return outcome
        }
        await spool.remove(file, of: athlete)
        outcome.items += 1
      } catch let error as StravaError where error.code != .disk {
        spool.setAside(file, of: athlete, because: error)
      } catch {
        // An error of one file, such as a key that is not here, delays no other.
        outcome.interruption = error
        guard Verdict(of: error).allowsOthers else { return outcome }
      }
    }
    return outcome
  }

  func overdue(_ session: Connection) async throws -> Int64 { Int64(spool.waiting.count) }

  func upcoming(_ session: Transaction, limit: Int) async throws -> [Upcoming] { [] }

  func pruneResolvedFailures(_ session: Connection) async throws {}

  func recoverFromCrash() async {}
}
