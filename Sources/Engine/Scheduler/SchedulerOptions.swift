/// How a node watches its work.
package struct SchedulerOptions: Sendable {
  package var node: String
  package var version: String
  /// False behind a proxy that pools transactions: a session there does not belong to this node.
  package var ownsSessions = true
  /// Whether the node is configured to call the provider of activities, as operators see it in `nodes`.
  package var hasProvider = false
  /// The longest time without a poll, whether or not notifications arrive.
  package var fallbackPoll: Duration = .seconds(60)
  /// The same while notifications do not arrive.
  package var fallbackPollWithoutListen: Duration = .seconds(1)
  package var heartbeat: Duration = .seconds(60)
  /// The interval of polls for other work while some work is running.
  package var pollWhileBusy: Duration = .milliseconds(100)
  /// How long a node does not poll while it plans and runs the successors, because a poll would only delay them.
  package var calm: Duration = .milliseconds(25)
  /// How long a node stays idle after its last work before it asks writers to notify.
  package var idleDelay: Duration = .milliseconds(20)

  /// The longest sleep without a sign of life (`Observation.iteration`); nil if nothing waits for one. The sign needs
  /// no query.
  package var heartbeatInterval: Duration?

  package init(node: String, version: String) {
    self.node = node
    self.version = version
  }
}
