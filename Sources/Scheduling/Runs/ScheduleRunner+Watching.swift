import Engine
import Postgres

/// Runs that hang, as problems: each names the sessions that block it.
extension ScheduleRunner {
  /// Watches a run until cancelled; returns whether it reported a problem.
  ///
  /// Checks less and less often, from four seconds on: most runs are over by then, and none has timed out.
  func watch(_ run: ClaimedOccurrence) -> Task<Bool, Never> {
    Task { [context] in
      var isReported = false
      var pause = context.lockWait * 16
      while (try? await context.time.sleep(pause)) != nil {
        pause = min(pause * 2, context.lockWait * 240)
        let isObstructed = try? await context.pool.transaction { transaction in
          let found = try await transaction.query(OccurrenceStatements.obstacle(run)).first(String?.self, Bool.self)
          guard let (blockers, isOverdue) = found, let text = Self.text(run, blockers, isOverdue) else { return false }
          try await transaction.execute(OccurrenceStatements.reportProblem(run.schedule, text))
          return true
        }
        isReported = isReported || isObstructed ?? false
      }
      return isReported
    }
  }

  private static func text(_ run: ClaimedOccurrence, _ blockers: String?, _ isOverdue: Bool) -> String? {
    if let blockers, !blockers.isEmpty {
      return "\(run.schedule): the run of \(run.instant) is waiting for a lock held by \(blockers)"
    }
    return isOverdue ? "\(run.schedule): the run of \(run.instant) is still running after its timeout" : nil
  }

  /// Withdraws the report on a run that succeeded after all: it may have been made while the run committed.
  func undoAttempts(_ run: ClaimedOccurrence) async {
    _ = try? await context.pool.withConnection { connection in
      try await connection.execute(OccurrenceStatements.forgive(run))
    }
  }
}
