import ControlAPI
import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

/// The places where a secret might show.
extension SecretLife {
  /// The rows that each role can read: tables, or those of their columns that it may read.
  func addTables() async throws {
    for role in ["postgres", "secret_app", "secret_reader"] {
      try await ask(as: role) { connection in
        let tables = try await connection.query(Self.tables).decode(String.self, String.self)
        for (table, columns) in tables {
          // Access tokens are in clear there, for strava.access_token; codes in secret until they are sealed.
          if role == "postgres", table == "strava.access" { continue }
          let rest = table == "strava.secret" ? "WHERE key_id IS NOT NULL" : ""
          let text = try await connection.query(
            "SELECT coalesce(string_agg(concat_ws(' ', \(raw: columns)), E'\\n'), '') FROM \(raw: table) \(raw: rest)"
          ).one(String.self)
          haystack.add("\(role) \(table)", text)
        }
      }
    }
  }

  static let tables: Statement = """
    SELECT format('%I.%I', n.nspname, c.relname), string_agg(quote_ident(a.attname), ', ')
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND n.nspname NOT LIKE 'pg_toast%' AND has_schema_privilege(n.oid, 'USAGE')
      AND has_column_privilege(c.oid, a.attnum, 'SELECT')
    GROUP BY 1 ORDER BY 1
    """

  /// Every command's answer, with an athlete for each number and a word for each text; refusals count as well.
  func addAnswers(of daemon: SettledProcess, athlete: Int64) async throws {
    for command in CommandDescription.all {
      var (path, fields) = (command.path, [String]())
      for parameter in command.parameters where parameter.isRequired {
        let value =
          switch parameter.kind {
          case .integer: "\(athlete)"
          case .boolean: "true"
          case .text: "token-refresh"
          }
        if path.contains("{\(parameter.name)}") {
          path = path.replacing("{\(parameter.name)}", with: value)
        } else {
          fields.append("\"\(parameter.name)\": " + (parameter.kind == .text ? "\"\(value)\"" : value))
        }
      }
      let body = command.method == .post ? ["-d", "{\(fields.joined(separator: ", "))}"] : []
      let answer = try await curl(daemon.controlSocket, path, body)
      #expect(!answer.isEmpty, "\(command.name)")
      haystack.add("answer of \(command.name)", answer)
    }
  }

  private func curl(_ socket: String, _ path: String, _ more: [String] = []) async throws -> String {
    try await SettledProcess(
      ["-s", "--max-time", "60", "--unix-socket", socket, "http://x\(path)"] + more, program: "/usr/bin/curl"
    ).finished().output
  }

  /// The pages that are served beside the commands, and the files that the kernel shows everybody of the process.
  func addEndpoints(of daemon: SettledProcess) async throws {
    let health = daemon.directory + "/health.sock"
    for (socket, path) in [
      (daemon.controlSocket, "/openapi.json"), (health, "/metrics"), (health, "/health/live"),
      (health, "/health/ready"),
    ] {
      let answer = try await curl(socket, path)
      #expect(!answer.isEmpty, "\(path)")
      haystack.add("answer of \(path)", answer)
    }
    try haystack.add(files: "/proc/\(daemon.pid)/cmdline")
  }

  func addOutput(of daemon: SettledProcess, _ name: String) {
    haystack.add("stdout of \(name)", daemon.output.text)
    haystack.add("stderr of \(name)", daemon.errors.text)
  }

  /// The output of a tool, with any exit status.
  @discardableResult
  func tool(_ daemon: SettledProcess, _ arguments: String...) async throws -> Finished {
    add("settlectl \(arguments.joined(separator: " "))", try await daemon.settlectl(arguments))
  }

  @discardableResult
  func add(_ name: String, _ finished: Finished) -> Finished {
    haystack.add("stdout of \(name)", finished.output)
    haystack.add("stderr of \(name)", finished.errors)
    return finished
  }

  func addServerLog(_ name: String = "server log") throws {
    let log = try #require(FileManager.default.contents(atPath: cluster.directory + "/log"))
    haystack.add(name, Array(log))
  }

  /// The last statements of sessions, as a superuser sees them.
  func statements() async throws -> [String] {
    try await ask { try await $0.query("SELECT DISTINCT query FROM pg_stat_activity").decode(String.self) }
  }

  /// Watches as a superuser what sessions are doing, until it is cancelled.
  func watchSessions() -> Task<Void, Never> {
    Task {
      var seen: Set<String> = []
      while !Task.isCancelled {
        seen.formUnion((try? await statements()) ?? [])
        try? await pauseBetweenLooks()
      }
      haystack.add("pg_stat_activity", seen.joined(separator: "\n"))
    }
  }
}
