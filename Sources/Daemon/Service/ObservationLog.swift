package import Engine
package import Logging

/// The one place that turns the engine's observations into journal entries, or into nothing.
package struct ObservationLog: Sendable {
  private let logger: Logger

  package init(_ logger: Logger) {
    self.logger = logger
  }

  package func callAsFunction(_ observation: Observation) {
    switch observation {
    case .started(let node, let afterCrash):
      logger.notice("ready", metadata: ["node": "\(node)", "crash_recovery": "\(afterCrash)"])
      if afterCrash {
        logger.warning("the last run did not stop cleanly: attempts are counted in advance")
      }
    case .stopped(let node): logger.notice("stopped", metadata: ["node": "\(node)"])
    case .listening: logger.debug("listening for notifications")
    case .listenLost(let error):
      logger.warning("LISTEN connection lost; polling every second", metadata: ["error": "\(error)"])
    case .nameAwaited(let holder):
      if let holder { logger.warning("this node is waiting for its name", metadata: ["holder": "\(holder)"]) }
    case .nameShared(let isShared):
      if isShared {
        logger.error("another daemon is using this node's name: give each node its own name")
      } else {
        logger.notice("this node's name is no longer used by another daemon")
      }
    case .databaseAway(let error):
      logger.error("the database is unreachable; trying again", metadata: ["error": "\(error)"])
    case .databaseBack: logger.notice("the database is back")
    case .batch(let job, let items, let elapsed, _):
      logger.info(
        "batch done", metadata: ["job": "\(job)", "items": "\(items)", "ms": "\(elapsed / .milliseconds(1))"])
    // It would be a line for each event.
    case .ran(let job, let items, let elapsed):
      logger.debug("done", metadata: ["job": "\(job)", "items": "\(items)", "ms": "\(elapsed / .milliseconds(1))"])
    case .batchSplit(let job, let items, let error):
      logger.warning(
        "a batch failed; its items are processed one by one",
        metadata: ["job": "\(job)", "items": "\(items)", "error": "\(error)"])
    case .itemFailed(let job, let key, let attempts, let quarantined, let error):
      let level: Logger.Level = quarantined ? .error : .warning
      logger.log(
        level: level, quarantined ? "an item is quarantined" : "an item failed and will be retried",
        metadata: ["job": "\(job)", "key": "\(key)", "attempts": "\(attempts)", "error": "\(error.text)"])
    case .itemDelayed(let job, let key, let holders):
      logger.warning(
        "an item is waiting for a lock", metadata: ["job": "\(job)", "key": "\(key)", "by": "\(holders)"])
    case .warning(let job, let key, let text):
      logger.warning("job warning", metadata: ["job": "\(job)", "key": "\(key)", "what": "\(text)"])
    case .runFailed(let schedule, let instant, let error):
      logger.error(
        "a schedule run failed",
        metadata: ["schedule": "\(schedule)", "instant": "\(instant)", "error": "\(error.text)"])
    case .recorded(let text, let fields):
      logger.notice("\(text)", metadata: fields.mapValues { "\($0)" })
    case .contention(let job, let error):
      logger.debug("contention; trying again", metadata: ["job": "\(job)", "error": "\(error)"])
    case .clockJumped(let difference):
      logger.critical(
        "THE DATABASE'S CLOCK JUMPED: nothing is settled until the clocks agree or settlectl clock accept is run",
        metadata: ["difference": "\(difference.milliseconds) ms"])
    case .clockOutvoted(let difference):
      logger.critical(
        """
        THIS NODE SEES A CLOCK JUMP THAT ANOTHER NODE DOES NOT: it settles nothing until the clocks agree or settlectl \
        clock accept is run
        """,
        metadata: ["difference": "\(difference.milliseconds) ms"])
    case .clockStopLifted(let node):
      logger.warning(
        "clock check passed on this node; only the named node remains stopped", metadata: ["node": "\(node)"])
    case .hostClockOff(let difference):
      logger.critical(
        "THIS NODE'S CLOCK IS OFF: it settles nothing until its clock agrees with the database's",
        metadata: ["difference": "\(difference.milliseconds) ms"])
    case .hostClockAgrees: logger.notice("this node's clock agrees with the database's again")
    case .clockAgrees: logger.notice("the database's clock agrees with the nodes' clocks again")
    case .databaseRestored(let finding, let timeline):
      logger.critical(
        "THE DATABASE WAS RESTORED, MOVED OR COPIED: tokens and settlements wait until settlectl restore accept is run",
        metadata: ["finding": "\(finding)", "timeline": "\(timeline)"])
    case .timelineChanged(let timeline):
      logger.notice(
        "the database failed over without losing any commit that this node remembers",
        metadata: ["timeline": "\(timeline)"])
    case .interrupted(let job, let error):
      logger.error(
        "work was interrupted and will be retried", metadata: ["job": "\(job)", "error": "\(error)"])
    case .resumed(let job): logger.notice("interrupted work resumed", metadata: ["job": "\(job)"])
    case .iteration, .polled, .asleep, .jobStarted, .jobEnded, .calls: break
    }
  }
}
