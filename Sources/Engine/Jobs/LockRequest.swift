package import Postgres

/// The due items that a job claims, and how.
package struct LockRequest<Key: JobKey>: Sendable {
  /// The treatment of rows that another transaction has locked.
  package enum Mode: Sendable {
    /// Skip them.
    case skipLocked
    /// Wait for them, under `lock_timeout`: the cure for rows that are never free when polled.
    case wait
    /// Only read: nothing is locked.
    case peek
  }

  /// SQL: business time, read before the locks: an item due by then is due after them as well.
  package var now: String { "(SELECT settled.clock())" }

  package let limit: Int
  /// The limit in the text of the statement: it differs from the batch's where a rehearsal claims nothing.
  let textLimit: Int
  package let mode: Mode
  /// Claim this item alone, whether or not a failure delays it.
  package let only: Key?
  /// Leave these out: they are waited for separately.
  package let except: [Key]
  /// Only these, unless a failure delays them.
  package let among: [Key]?
  /// Leave out the items of a leased job that a node works on.
  package let leased: Bool

  package init(
    limit: Int, mode: Mode = .skipLocked, only: Key? = nil, except: [Key] = [], among: [Key]? = nil,
    leased: Bool = false, textLimit: Int? = nil
  ) {
    self.limit = limit
    self.textLimit = textLimit ?? limit
    self.mode = mode
    self.only = only
    self.except = except
    self.among = among
    self.leased = leased
  }

  /// The locking clause for the table with the alias `alias`.
  package func clause(of alias: String) -> String {
    switch mode {
    case .skipLocked: "FOR NO KEY UPDATE OF \(alias) SKIP LOCKED"
    case .wait: "FOR NO KEY UPDATE OF \(alias)"
    case .peek: ""
    }
  }

  /// The condition on the item's key: that one item, or every other item that neither a failure nor a lease blocks.
  package func condition(job: String, key: KeyColumns) -> Statement {
    if let only { return key.isAmong([only]) }
    let free: Statement = "\(raw: BackoffFilter.excluded(job: job, key: key.text, leased: leased))"
    if let among { return "\(fragment: key.isAmong(among)) AND \(fragment: free)" }
    return except.isEmpty ? free : "NOT (\(fragment: key.isAmong(except))) AND \(fragment: free)"
  }
}
