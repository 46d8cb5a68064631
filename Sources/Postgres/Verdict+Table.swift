/// The verdicts of SQLSTATEs: one table.
extension Verdict {
  /// The verdict of a state; of an unknown one, and of none, `item`.
  ///
  /// An item is tried five times and then listed for a person, and it holds up no other: so an unknown error is seen,
  /// and it stops nothing.
  package init(sqlState: String?) {
    self = sqlState.flatMap { Self.states[$0] ?? Self.classes[String($0.prefix(2))] } ?? .item
  }

  /// Classes, by the first two characters of their states.
  package static let classes: [String: Verdict] = [
    // Success, warnings, no data, not yet complete: errors only where a function raises them.
    "00": .item, "01": .item, "02": .item, "03": .item,
    // Connection exceptions.
    "08": .connection,
    // Triggered actions, features that are not supported, transactions begun wrongly, locators.
    "09": .item, "0A": .item, "0B": .item, "0F": .item,
    // Grantors and roles.
    "0L": .installation, "0P": .installation,
    // Diagnostics, XQuery, CASE, cardinality, data, integrity.
    "0Z": .item, "10": .item, "20": .item, "21": .item, "22": .item, "23": .item,
    // Cursors and transactions in a wrong state.
    "24": .item, "25": .item,
    // Prepared statements that are gone: a proxy shares the session.
    "26": .installation,
    // Triggers that change what is changed.
    "27": .item,
    // Logins, and rights that others depend on.
    "28": .installation, "2B": .installation,
    // Transactions ended wrongly, routines, cursors' names, external routines, savepoints.
    "2D": .item, "2F": .item, "34": .item, "38": .item, "39": .item, "3B": .item,
    // Databases and schemas that do not exist.
    "3D": .installation, "3F": .installation,
    // Rollbacks: serialization failures and deadlocks.
    "40": .contention,
    // Statements that do not fit the schema, and missing rights.
    "42": .installation,
    // Views with a check.
    "44": .item,
    // Disk, memory, connections.
    "53": .resource,
    // Limits of PostgreSQL itself: the item is too large.
    "54": .item,
    // Objects that are locked or in use.
    "55": .contention,
    // The server ends, starts, or ends a session.
    "57": .connection,
    // The server's operating system.
    "58": .resource,
    // Snapshots that are too old (before PostgreSQL 18).
    "72": .contention,
    // The server's configuration file.
    "F0": .installation,
    // Foreign data.
    "HV": .item,
    // PL/pgSQL: RAISE, no rows, too many, ASSERT.
    "P0": .item,
    // Rules of settled: the three digits are the status of a refusal.
    "SD": .item,
    // Bugs of PostgreSQL.
    "XX": .item,
  ]

  /// States whose verdict is not that of their class.
  package static let states: [String: Verdict] = [
    // Writing is refused: the server has become a standby.
    "25006": .connection,
    // Transactions that were idle, or took longer than they may: the session ended with them.
    "25P03": .timeout, "25P04": .timeout,
    // Whether the transaction was committed is unknown.
    "40003": .connection,
    // The state that an object is not in is often one that the statement itself should have made.
    "55000": .item,
    // Parameters and values of types that only an administrator changes.
    "55P02": .installation, "55P04": .installation,
    // A person's intervention in one statement; its time-out has the same state (`PostgresError.Code`).
    "57000": .caller, "57014": .timeout,
    // Foreign servers that are away, or have no memory.
    "HV001": .resource, "HV00N": .resource,
    // What is asked for is stopped for now.
    "SD503": .resource,
    // Damaged tables and indexes.
    "XX001": .installation, "XX002": .installation,
  ]
}
