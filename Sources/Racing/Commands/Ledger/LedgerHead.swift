import Postgres

/// `ledger head`: the end of the chain, and the last audit. It looks up single rows, and checks nothing itself.
enum LedgerHead {
  static func read(_ transaction: Transaction) async throws -> JSON {
    let audit = try await transaction.query(lastRun).first(Timestamp.self, Timestamp.self)
    // The audit checks all that was committed when it began.
    var checked: Int64?
    if let audit { checked = try await transaction.query(JournalSearch.last(before: audit.0)).one(Int64.self) }
    return try await transaction.query(shown(verifiedTo: checked, at: audit?.1)).one(JSON.self)
  }

  /// When the last audit that ran to its end began, and when it ended.
  static let lastRun: Statement = """
    SELECT o.started_at, o.finished_at FROM settled.occurrence AS o
    WHERE o.schedule = \(LedgerAudit.name) AND o.status = 'ran' ORDER BY o.instant DESC LIMIT 1
    """

  static func shown(verifiedTo journal: Int64?, at instant: Timestamp?) -> Statement {
    """
    SELECT jsonb_build_object('position', h.position, 'journal', l.journal_id,
      'hash', CASE WHEN h.position > 0 THEN encode(h.hash, 'hex') END, 'at', settled.iso(j.occurred_at),
      'verifiedTo', \(journal)::bigint, 'verifiedAt', settled.iso(\(instant)::timestamptz),
      'differences', (SELECT count(*) FROM racing.ledger_difference))
    FROM racing.chain_head AS h LEFT JOIN racing.chain_link AS l ON l.position = h.position
    LEFT JOIN racing.journal AS j ON j.id = l.journal_id
    """
  }
}
