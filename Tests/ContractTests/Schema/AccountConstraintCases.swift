extension ConstraintCases {
  static let accounts: [(name: String, statement: String)] =
    [
      ("account_email", account() + "; " + account()),
      ("account_email_form", account(email: "Ann@example.org")),
      ("account_email_form", account(email: "ann@")),
      ("account_email_form", account(email: "ann")),
      ("account_email_form", account(email: "ann@example.org, eve@example.org")),
      ("account_email_form", account(email: "änn@example.org")),
      ("account_email_form", account(email: "a@" + String(repeating: "x", count: 253))),
      ("account_email_form", account(email: #"a@b\nBcc: eve"#)),
      ("account_display_name", account("display_name", "''")),
      ("account_username_form", account("username", "'jo'")),
      ("account_username_form", account("username", "'7up'")),
      ("account_username_form", account("username", "'jo@smith'")),
      ("account_username_form", account("username", "repeat('x', 51)")),
      ("account_password_hash", account("password_hash", "'short'")),
      ("account_checkin_form", account("checkin_id", "''")),
      ("account_roles", account("roles", "'{coach}'")),
      ("account_roles", account("roles", "'{payments,payments}'")),
      ("account_roles", account("roles", "'{payments,moderator}'")),
      ("account_roles", account("roles", "'{NULL}'")),
      ("account_epoch", account("epoch", "0")),
      ("account_athlete", both("athlete_id", "1")),
      ("account_runner", runner + both("runner_id", "(SELECT max(id) FROM seasons.runner)")),
      ("account_reader", reader + both("reader_id", "9")),
      ("account_checkin", both("checkin_id", "'uid'")),
      ("attempt_limit", "INSERT INTO accounts.attempt VALUES ('x', '{}', '{}', now())"),
      ("attempt_limit", "INSERT INTO accounts.attempt VALUES ('x', '{a,b}', '{2031-01-01}', now())"),
      (
        "attempt_limit",
        """
        INSERT INTO accounts.attempt VALUES ('x', array_fill('a'::text, ARRAY[101]), array_fill(now(), ARRAY[101]), now())
        """
      ),
      ("one_time_token_digest", account() + "; " + token("'x'::bytea, max(id), 'reset'")),
      ("one_time_token_kind", account() + "; " + token("sha256('x'), max(id), 'login'")),
      ("answer_digest", "INSERT INTO gateway.answer VALUES ('x', 'c', 'f', '{}', now())"),
      ("answer_caller", "INSERT INTO gateway.answer VALUES (sha256('x'), '', 'f', '{}', now())"),
      (
        "answer_value_fingerprint",
        "INSERT INTO gateway.answer (digest, caller, fingerprint, value_fingerprint, at) VALUES (sha256('x'), 'c', 'f', '', now())"
      ),
      (
        "caller_person_person",
        "INSERT INTO gateway.caller_person (person, caller, seen_at) VALUES ('moderator:1', 'c', now())"
      ),
      (
        "caller_person_caller",
        "INSERT INTO gateway.caller_person (person, caller, seen_at) VALUES ('athlete:1', '', now())"
      ),
      ("answer_fingerprint", "INSERT INTO gateway.answer VALUES (sha256('x'), 'c', '', '{}', now())"),
    ]

  private static func account(
    _ column: String = "username", _ value: String = "NULL", email: String = "new@example.org"
  ) -> String {
    "INSERT INTO accounts.account (email, \(column)\(column == "display_name" ? "" : ", display_name")) "
      + "VALUES (E'\(email)', \(value)\(column == "display_name" ? "" : ", 'New'"))"
  }

  private static func both(_ column: String, _ value: String) -> String {
    account(column, value, email: "a@example.org") + "; " + account(column, value, email: "b@example.org")
  }

  private static func token(_ values: String) -> String {
    """
    INSERT INTO accounts.one_time_token (digest, account_id, kind, expires_at)
    SELECT t.*, now() FROM (SELECT \(values) FROM accounts.account) AS t
    """
  }

  private static let runner = "SELECT seasons.create_runner('R', 2031, 'UA', true, true); "
  private static let reader = "SELECT achievements.create_user(9, 'Reader'); "
}
