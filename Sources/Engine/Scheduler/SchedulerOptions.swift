/// How a node watches its work.
package struct SchedulerOptions: Sendable {
  package var node: String
  package var version: String
  /// False behind a proxy that pools transactions: what a session holds there is not this node's.
  package var ownsSessions = true
  /// The longest time without a poll, whether or not notifications come.
  package var fallbackPoll: Duration = .seconds(300)
  /// The same while notifications do not come.
  package var fallbackPollWithoutListen: Duration = .seconds(1)
  package var heartbeat: Duration = .seconds(60)
  /// Looks at other work while some work is being done.
  package var pollWhileBusy: Duration = .milliseconds(100)
  /// How long a node leaves what it plans and what follows it alone, which a poll would only delay.
  package var calm: Duration = .milliseconds(25)
  /// How long a node stays awake after its last work before it asks to be rung for.
  package var idleDelay: Duration = .milliseconds(20)

  /// The longest sleep without a sign of life (`Observation.turned`); nil where nobody waits for one. A heartbeatInterval's end asks the
  /// database nothing.
  package var heartbeatInterval: Duration?

  package init(node: String, version: String) {
    self.node = node
    self.version = version
  }
}
