import Scheduling
import Postgres
import Cron

/// Reads the parameters of `schedule add`.
struct ScheduleForm {
  private static let timeoutDefault: Duration = .seconds(300)
  private static let runsMaxMax: Int64 = 100_000

  static func read(_ call: CommandCall, now: Timestamp, _ transaction: Transaction) async throws -> Schedule {
    let name = call.text("name") ?? ""
    let isName = name.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false
    guard isName, name.count <= 63,
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) })
    else {
      throw CommandError(
        .usage, rule: "name", "the name must have 1 to 63 letters, digits, dots, hyphens and underscores")
    }
    let zone = call.text("zone") ?? "UTC"
    try await check(zone: zone, transaction)
    var at = try await EngineHandlers.instant(call.text("at"), rule: "at", transaction)
    let cron = call.text("cron")
    guard (cron == nil) != (at == nil) else {
      throw CommandError(.usage, rule: "cron", "either --cron, optionally with --zone, or --at is required")
    }
    if let cron { _ = try expression(cron) }
    if let given = at {
      guard given > now else { throw CommandError(.refused, rule: "at", "\(given) has passed") }
      at = Timestamp(second: given.wholeSecond)
    }
    return Schedule(
      name: name, cron: cron, at: at, zone: zone, call: try await function(call.text("call") ?? "", transaction),
      missed: try await missed(call, transaction),
      timeout: try await TimeSpan.read(
        call.text("timeout"), rule: "timeout", least: .milliseconds(1), most: .seconds(86_400), transaction)
        ?? timeoutDefault,
      splay: try await TimeSpan.read(
        call.text("splay"), rule: "splay", least: .zero, most: .seconds(86_400), transaction) ?? .zero)
  }

  static func expression(_ text: String) throws -> CronExpression {
    do {
      return try CronExpression(text)
    } catch {
      throw CommandError(.usage, rule: "cron", position: error.position, "\(error)")
    }
  }

  static func check(zone: String, _ transaction: Transaction) async throws {
    let isKnown = try await transaction.query(
      "SELECT EXISTS (SELECT FROM settled.time_zone WHERE name = \(zone))"
    ).one(Bool.self)
    guard isKnown else { throw CommandError(.usage, rule: "time-zone", "\(zone) is not an accepted time zone") }
  }

  private static func missed(_ call: CommandCall, _ transaction: Transaction) async throws -> MissedPolicy {
    let within = try await TimeSpan.read(call.text("within"), rule: "within", least: .seconds(1), transaction)
    let max = call.integer("max")
    switch (call.text("missed") ?? "once", max, within) {
    case ("skip", nil, nil): return .skip
    case ("once", nil, nil): return .once
    case ("all", .some(let max), .some(let within)) where (1...runsMaxMax).contains(max):
      return .all(max: Int(max), within: within)
    case ("all", _, _):
      throw CommandError(
        .usage, rule: "missed",
        "--missed all requires --max (1 to \(runsMaxMax) runs) and --within (their maximum age)")
    case ("skip", _, _), ("once", _, _):
      throw CommandError(.usage, rule: "missed", "--max and --within require --missed all")
    default: throw CommandError(.usage, rule: "missed", "missed must be skip, once or all")
    }
  }

  /// A function without arguments that the role of schedules may call, quoted and qualified.
  private static func function(_ text: String, _ transaction: Transaction) async throws -> String {
    let name = text.hasSuffix("()") ? String(text.dropLast(2)) : text
    // Not to_regprocedure: it would require the daemon to have privileges in the operators' schema.
    let row = try await transaction.query(
      """
      SELECT format('%I.%I()', n.nspname, p.proname),
        has_function_privilege('\(raw: OperatorRun.role)', p.oid, 'EXECUTE')
          AND has_schema_privilege('\(raw: OperatorRun.role)', n.oid, 'USAGE'),
        CASE WHEN p.prokind <> 'f' THEN 'is no function but a procedure, an aggregate or a window function'
          WHEN p.prorettype IN ('trigger'::regtype, 'event_trigger'::regtype) THEN 'is a trigger function'
          WHEN p.pronargs > 0 THEN 'takes arguments, also where they have defaults: call it from one without'
          WHEN p.prorettype = 'record'::regtype AND p.proallargtypes IS NULL
            THEN 'returns record: its result must have named columns' END AS obstacle
      FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
      WHERE \(name) IN (n.nspname || '.' || p.proname, format('%I.%I', n.nspname, p.proname))
      ORDER BY obstacle NULLS FIRST LIMIT 1
      """
    ).first(String.self, Bool.self, String?.self)
    guard let (found, isAllowed, obstacle) = row else {
      throw CommandError(.usage, rule: "call", "there is no function named \(name): write schema.function")
    }
    if let obstacle { throw CommandError(.usage, rule: "call", "\(name) \(obstacle)") }
    guard isAllowed else {
      throw CommandError(
        .refused, rule: "call",
        "\(OperatorRun.role) cannot call \(found): grant it USAGE on the schema and EXECUTE on the function")
    }
    return found
  }
}
