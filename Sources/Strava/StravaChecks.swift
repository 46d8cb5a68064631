import Engine
import Operations
import FoundationEssentials
import Postgres

/// The checks of `doctor` about tokens: whether they can be kept fresh, and whether anything shows them.
struct StravaChecks: Sendable {
  let options: ProviderOptions?

  var checks: [Check] { [logging] + (options.map { configured($0) } ?? [idle]) }

  private var idle: Check {
    Check("strava") { transaction in
      let active = try await TokenDemand.read(in: transaction).active
      let count = active.counted("connection is", "connections are")
      return active == 0
        ? .init("strava_client_id is not set: no calls are made")
        : .init(
          "strava_client_id is not set, and \(count) active: their tokens will expire",
          ok: false, remedy: "set strava_client_id and the strava-client-secret and token-key credentials")
    }
  }

  private func configured(_ options: ProviderOptions) -> [Check] {
    [
      key(options), spool(options), webhooks,
      Check("strava budget") { transaction in
        let figures = try await TokenDemand.read(in: transaction)
        return .init(
          figures.text, ok: !figures.isTooHigh,
          remedy: figures.isTooHigh
            ? "ask the provider for a higher limit, then settlectl set strava.limit_day and strava.limit_15min" : nil)
      },
      Check("strava reads") { transaction in
        let figures = try await ReadDemand.read(in: transaction)
        return .init(
          figures.text, ok: !figures.isTooHigh,
          remedy: figures.isTooHigh
            ? """
            ask the provider for a higher limit, then settlectl set strava.read_limit_day and strava.read_limit_15min
            """ : nil)
      },
      .none(
        "strava codes",
        """
        SELECT CASE WHEN \(raw: ProviderLimits.tokens.hasReserveShare) THEN 0 ELSE count(*) END FROM strava.connection
        WHERE status = 'connecting' AND next_call_at <= settled.clock()
        """,
        good: "no authorization code is waiting for a call reserved for exchanges",
        bad: { $0.counted("code is waiting", "codes are waiting") + ": the calls reserved for exchanges are used up" },
        remedy: "settlectl strava status; wait for the next window, or ask the provider for a higher limit"),
      .none(
        "ended tokens",
        """
        SELECT count(*) FROM strava.connection
        WHERE status = 'active' AND next_call_at < settled.clock() AND expires_at < settled.clock() - interval '5 minutes'
        """,
        good: "every active connection has a valid token",
        bad: { $0.counted("active connection has", "active connections have") + " no valid token" },
        remedy: "settlectl strava status (breaker, budget, errors), settlectl failures"),
    ]
  }

  /// The listing before the results finds what has changed without webhooks, but nothing else finds a withdrawn grant.
  private var webhooks: Check {
    Check("webhooks") { transaction in
      let subscription = try await transaction.query(
        "SELECT s.callback, s.subscription_id FROM strava.subscription AS s"
      ).first(String.self, Int64?.self)
      guard let (callback, id) = subscription else {
        let (connected, refused) = try await transaction.query(Self.unwatched).one(Int64.self, Int64.self)
        guard connected > 0 else {
          return .init(
            "there is no webhook subscription: changes are detected only when activities are listed before race results"
          )
        }
        let count = connected.counted("athlete is", "athletes are")
        let tokens = refused == 0 ? "" : "; \(refused.counted("token is", "tokens are")) refused"
        return .init(
          "\(count) connected, but there is no webhook subscription: a withdrawn grant goes unnoticed\(tokens)",
          ok: false, remedy: "settlectl strava subscribe --callback URL")
      }
      guard let id else {
        return .init(
          "the provider has not confirmed the webhook subscription (callback \(callback))", ok: false,
          remedy: "settlectl strava subscribe --callback \(callback)")
      }
      return .init("webhook subscription \(id) is active (callback \(callback))")
    }
  }

  /// Two numbers: the athletes whose withdrawal of the grant nobody would notice, and those of them whose token the
  /// provider refuses. None in a database with a simulated clock, or where hints are not followed.
  static let unwatched: Statement = """
    SELECT count(*), count(*) FILTER (WHERE c.status = 'needs_reauth' AND c.reason = 'grant')
    FROM strava.connection AS c
    WHERE c.status <> 'revoked' AND (SELECT strava.follows_hint(0, NULL))
      AND NOT EXISTS (SELECT FROM settled.installation AS i WHERE i.simulated)
    """

  private func key(_ options: ProviderOptions) -> Check {
    Check("token key") { transaction in
      let sealer = Sealer(options)
      let remedy = "add the token-key credential (32 bytes in base64) to the node, and restart it"
      guard let own = sealer.primary else {
        return .init("this node has no sealing key: it does not refresh tokens", ok: false, remedy: remedy)
      }
      let keys = try await transaction.query(
        """
        SELECT k.key_id, k.retired_at IS NULL FROM strava.sealing_key AS k
        WHERE k.retired_at IS NULL OR EXISTS (SELECT FROM strava.secret AS s WHERE s.key_id = k.key_id)
        """
      ).decode(String.self, Bool.self)
      let missing = keys.map(\.0).filter { !sealer.has($0) }
      guard missing.isEmpty else {
        return .init(
          "tokens are sealed with keys that this node does not have: \(missing.sorted().joined(separator: ", "))",
          ok: false, remedy: "add the key to the node as the token-key or token-key-old credential, and restart it")
      }
      if let present = keys.first(where: \.1)?.0, present != own.id {
        return .init(
          "this node's key \(own.id) is not the sealing key yet", ok: false,
          remedy: "once every node has this key, run settlectl strava rotate-key")
      }
      return .init("this node has the sealing key, \(own.id)")
    }
  }

  private func spool(_ options: ProviderOptions) -> Check {
    Check("token spool") { _ in
      let directory = options.stateDirectory + "/token-spool"
      do {
        try SpoolDisk.write(Array("doctor\n".utf8), to: "doctor.bad", in: directory)
        SpoolDisk.remove("doctor.bad", in: directory)
        let bad = Int64(SpoolDisk.setAsideCount(directory))
        guard bad == 0 else {
          return .init(
            "\(bad.counted("reply", "replies")) in \(directory) could not be read, and might be lost", ok: false,
            remedy: "check the *.bad files and the journal, then remove the files")
        }
        return .init("replies can be spooled in \(directory)")
      } catch {
        return .init(
          "replies cannot be spooled in \(directory): \(error)", ok: false,
          remedy: "free space, or make the directory writable for the daemon")
      }
    }
  }

  /// The daemon's parameters stand in the server's log where that logs them: access tokens among them.
  private var logging: Check {
    Check("logged parameters") { transaction in
      let settings = try await transaction.query(
        """
        SELECT name FROM (SELECT name, setting, source FROM pg_settings) AS s
        WHERE name = 'log_parameter_max_length_on_error' AND setting <> '0'
          OR name = 'log_statement' AND setting = 'all' AND current_setting('log_parameter_max_length') <> '0'
          OR name IN ('log_min_duration_statement', 'log_min_duration_sample') AND setting <> '-1'
            AND current_setting('log_parameter_max_length') <> '0'
          OR name = 'log_transaction_sample_rate' AND setting <> '0'
            AND current_setting('log_parameter_max_length') <> '0'
          OR name = 'auto_explain.log_min_duration' AND setting <> '-1'
            AND coalesce(current_setting('auto_explain.log_parameter_max_length', true), '-1') <> '0'
          -- The daemon's own setting does not show what the gateway's sessions and others log.
          OR name IN ('log_parameter_max_length', 'log_parameter_max_length_on_error')
            AND source IN ('user', 'database user')
        ORDER BY name
        """
      ).decode(String.self)
      return settings.isEmpty
        ? .init("the server logs no statement parameters")
        : .init(
          "the server logs statement parameters, including codes and access tokens: "
            + settings.joined(separator: ", "),
          ok: false,
          remedy:
            "set log_parameter_max_length and log_parameter_max_length_on_error to 0 on the server, not only for a role"
        )
    }
  }
}
