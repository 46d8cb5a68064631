/// How to reach a database and how long to be patient with it.
package struct ConnectionOptions: Sendable {
  /// A URI or `key=value` text as libpq reads it, several hosts and `target_session_attrs` included.
  ///
  /// Its keep-alives, `connect_timeout` and `application_name` win over the properties below.
  package var url: String
  package var applicationName: String

  /// For each address, in whole seconds; libpq's least is 2 s.
  package var connectTimeout: Duration = .seconds(5)

  /// For all addresses together: each gets its share. Ten addresses or more get 2 s each, and 20 s together.
  package var connectAtMost: Duration = .seconds(12)

  /// Set on the server; the client cancels `answerGrace` later, and closes the connection `answerGrace` after that.
  /// Zero: none.
  package var statementTimeout: Duration = .seconds(30)

  /// How long the server may take to answer once it ought to: after its own time-out, and after a cancel request.
  package var answerGrace: Duration = .seconds(5)
  /// Nil: none, also where the database or the role has one.
  package var lockTimeout: Duration?
  package var idleInTransactionTimeout: Duration = .seconds(30)

  /// Quiet time before the first keep-alive, between them, and how many may fail: a machine that vanished is missed
  /// within 11 s, sooner than another one takes its place.
  package var keepalivesIdle: Duration = .seconds(5)
  package var keepalivesInterval: Duration = .seconds(2)
  package var keepalivesCount = 3

  /// How long sent data may stay unacknowledged before the connection counts as lost.
  package var tcpUserTimeout: Duration = .seconds(10)

  /// False where nothing may be prepared.
  package var preparedStatements = true

  /// True behind a proxy that pools transactions. Then nothing is prepared either, and the settings are sent with each
  /// transaction (`SET LOCAL`) instead of with the connection. Each other statement runs in a transaction of its own.
  package var poolsTransactions = false {
    didSet { if poolsTransactions { preparedStatements = false } }
  }

  /// Further settings of the session, for example `["work_mem": "5MB"]`; they win over `pinned`.
  package var settings: [String: String] = [:]

  /// Settings of every session: what the server, the database or the role has set
  /// must not change what a statement means.
  ///
  /// The search path keeps functions and operators out that somebody else put into `public`. Notices stay on, because
  /// the server reports a commit without a standby's confirmation by a warning.
  package static let pinned = [
    "search_path": "pg_catalog, pg_temp", "standard_conforming_strings": "on", "backslash_quote": "safe_encoding",
    "array_nulls": "on", "transform_null_equals": "off", "quote_all_identifiers": "off", "bytea_output": "hex",
    "extra_float_digits": "1", "datestyle": "ISO, MDY", "intervalstyle": "postgres", "timezone": "UTC",
    "check_function_bodies": "on", "row_security": "on", "client_min_messages": "notice",
    "default_transaction_isolation": "read committed", "default_transaction_read_only": "off",
    "default_transaction_deferrable": "off", "idle_session_timeout": "0",
  ]

  /// More of them, which servers before `version` do not know.
  static let pinnedLater: [(name: String, value: String, version: Int)] = [("transaction_timeout", "0", 170_000)]

  /// Called on the connection's own thread when a round trip has ended, well or not, so it must be quick.
  package var onRoundTrip: (@Sendable () -> Void)?

  /// A seam for tests: called before each statement is sent, `BEGIN`, `COMMIT` and `ROLLBACK` included.
  ///
  /// When it throws, nothing is sent. An error with the verdict `connection` closes the connection, any other one
  /// fails the open transaction, as the server's would. A foreign error becomes `injected` with SQLSTATE 57P01.
  package var beforeStatement: (@Sendable (Statement) throws -> Void)?

  /// Notices and warnings of the server; called on the connection's own thread, so it must be quick.
  package var onNotice: (@Sendable (ServerMessage) -> Void)?

  package init(url: String, applicationName: String = "settled") {
    self.url = url
    self.applicationName = applicationName
  }
}

/// Does not show the URL, which may contain a password.
extension ConnectionOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "ConnectionOptions(\(applicationName))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["applicationName": applicationName]) }
}

extension ConnectionOptions {
  /// Throws `usage` when libpq cannot read the URL; nothing is connected.
  package func checkURL() throws(PostgresError) {
    _ = try Connector.parameters(in: url)
  }

  /// Whether the URL itself holds a password; false for one that libpq cannot read.
  package var hasPassword: Bool {
    guard let given = try? Connector.parameters(in: url) else { return false }
    return given["password"]?.isEmpty == false
  }

  /// The settings of the session in a fixed order.
  var sessionSettings: [(name: String, value: String)] {
    var all = Self.pinned.merging(settings) { $1 }
    all["statement_timeout"] = "\(statementTimeout.milliseconds)"
    all["idle_in_transaction_session_timeout"] = "\(idleInTransactionTimeout.milliseconds)"
    all["lock_timeout"] = "\(lockTimeout?.milliseconds ?? 0)"
    return all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// One statement that makes the settings, for the session or for the open transaction only.
  ///
  /// It names its schema, because the search path is not ours yet.
  func settingStatement(local: Bool) -> Statement {
    let calls = sessionSettings.map { "pg_catalog.set_config(\($0.name), \($0.value), \(local))" as Statement }
    var statement: Statement = "SELECT \(fragment: calls[0])"
    for call in calls.dropFirst() { statement = "\(fragment: statement), \(fragment: call)" }
    for (name, value, version) in Self.pinnedLater {
      statement = """
        \(fragment: statement), CASE WHEN pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= \(raw: "\(version)")
          THEN pg_catalog.set_config(\(name), \(value), \(local)) END
        """
    }
    return "\(fragment: statement), \(raw: Self.durable)\(local))"
  }

  /// An answered write must outlive a power cut: only `off` is overridden, for a stronger setting is somebody's choice.
  private static let durable = """
    pg_catalog.set_config('synchronous_commit', CASE pg_catalog.current_setting('synchronous_commit')
      WHEN 'off' THEN 'on' ELSE pg_catalog.current_setting('synchronous_commit') END,
    """

  /// How long connecting may take in all: what the addresses need together, at most 20
  /// s unless one alone may take longer.
  package func connectLimit(addresses: Int) -> Duration {
    max(connectTimeout, connectAtMost, min(.seconds(2 * addresses), .seconds(20)))
  }

  /// The parameters for libpq; a later one wins over an earlier one, and `dbname` is the whole URL.
  func parameters(addresses: Int) -> [(name: String, value: String)] {
    let share = min(connectTimeout, connectLimit(addresses: addresses) / max(1, addresses))
    return [
      ("application_name", applicationName),
      ("connect_timeout", "\(max(2, Int((share / .seconds(1)).rounded(.down))))"),
      ("keepalives", "1"),
      ("keepalives_idle", "\(keepalivesIdle.roundedUp(to: .seconds(1)))"),
      ("keepalives_interval", "\(keepalivesInterval.roundedUp(to: .seconds(1)))"),
      ("keepalives_count", "\(keepalivesCount)"),
      ("tcp_user_timeout", "\(tcpUserTimeout.milliseconds)"),
      ("dbname", url),
      ("client_encoding", "UTF8"),
    ]
  }
}

extension Duration {
  var milliseconds: Int { roundedUp(to: .milliseconds(1)) }

  /// The least number of whole units that is not shorter.
  func roundedUp(to unit: Duration) -> Int {
    Int((self / unit).rounded(.up))
  }
}
