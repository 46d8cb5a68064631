import Postgres

/// The SQL of connections and their tokens.
enum TokenRows {
  /// The part of a connection that a call needs.
  struct Connection: Sendable {
    let athlete: Int64
    let status: String
    let attempt: Int64
    /// How often the provider has given tokens.
    let generation: Int64
    /// The sealed code or refresh token that the call is made with, and its key; nil where there is none.
    let key: String?
    let secret: Bytes?

    init(_ row: Row) throws(PostgresError) {
      athlete = try row["athlete_id"]
      status = try row["status"]
      attempt = try row["attempt"]
      generation = try row["tokens_given"]
      key = try row["key_id"]
      secret = try row["secret"]
    }
  }

  static func connections(_ athletes: [Int64]) -> Statement {
    """
    SELECT c.athlete_id, c.status, c.attempt, c.tokens_given,
      CASE c.status WHEN 'connecting' THEN k.key_id ELSE r.key_id END AS key_id,
      CASE c.status WHEN 'connecting' THEN k.secret ELSE r.secret END AS secret
    FROM unnest(\(athletes)) WITH ORDINALITY AS a (id, place)
    JOIN strava.connection AS c ON c.athlete_id = a.id AND c.next_call_at IS NOT NULL
    LEFT JOIN strava.secret AS r ON r.kind = 'refresh' AND r.athlete_id = c.athlete_id
    LEFT JOIN strava.secret AS k ON k.kind = 'code' AND k.athlete_id = c.athlete_id AND k.number = c.attempt
    ORDER BY a.place
    """
  }

  static func generation(of athlete: Int64) -> Statement {
    "SELECT tokens_given FROM strava.connection WHERE athlete_id = \(athlete)"
  }

  /// One value: who has the account at the provider now, where it is another athlete.
  static func keep(_ tokens: SpooledTokens, sealed: Bytes) -> Statement {
    let end = Timestamp(microseconds: tokens.expiresAt)
    return """
      SELECT holder FROM strava.keep_tokens(\(tokens.athlete), \(tokens.generation), \(tokens.attempt),
        \(tokens.providerAthlete), \(tokens.key), \(sealed), \(tokens.accessToken), \(end),
        \(RefreshTime.instant(end: end, athlete: tokens.athlete)), \(tokens.sex?.rawValue))
      """
  }

  /// Tokens that were just kept are as old as their call: what waited for the database may be due again at once.
  static func dateBack(_ tokens: SpooledTokens) -> Statement {
    """
    UPDATE strava.connection SET refreshed_at = \(tokens.calledAt.map(Timestamp.init(microseconds:)))
    WHERE athlete_id = \(tokens.athlete) AND tokens_given = \(tokens.generation + 1)
      AND refreshed_at > \(tokens.calledAt.map(Timestamp.init(microseconds:)))
    """
  }

  static func refuse(_ input: TokenRefreshJob.Input) -> Statement {
    "SELECT strava.refuse(\(input.athlete), \(input.generation), \(input.attempt))"
  }

  static func revoked(_ input: TokenRefreshJob.Input) -> Statement {
    "SELECT strava.note_revoked(\(input.athlete), \(input.generation))"
  }

  static let answered: Statement = "SELECT strava.note_answer()"

  /// One value: whether the breaker is open.
  static func failed(_ input: TokenRefreshJob.Input, _ failure: ProviderFailure) -> Statement {
    """
    SELECT strava.note_failure(\(input.athlete), \(input.generation), \(input.attempt), \(failure.kind.rawValue),
      \(failure.isOfPeer), \(failure.isUnknown && input.purpose != .revoke))
    """
  }

  static func abandoned(_ athletes: [Int64]) -> Statement { "SELECT strava.note_lost(\(athletes), 'node')" }

  static func giveBack(lease: Int64) -> Statement {
    "DELETE FROM settled.lease WHERE job = \(TokenRefreshJob.jobName) AND generation = \(lease)"
  }
}
