import ControlAPI
import Engine
import Postgres
import TextCoding

/// Commands that read operators' actions: the audit itself, and the settings with their last change.
package struct AuditHandlers: Sendable {
  private let users: UserLookup

  package init(users: @escaping UserLookup) {
    self.users = users
  }

  package var commands: [Command] {
    [Command(.settings, .read(settings)), Command(.auditLog, .read(log))]
  }

  /// The requested rows; nil: all.
  struct Filter {
    var after: Int64?
    var from: Timestamp?
    var uid: Int64?
    var command: String?
    var target: String?
  }

  private func log(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let page = try ListPage(call, upTo: 1000)
    let filter = Filter(
      after: page.after,
      from: try await EngineHandlers.instant(call.text("from"), rule: "from", transaction), uid: call.integer("uid"),
      command: call.text("command"), target: call.text("target"))
    let rows = try await transaction.query(AuditReading.page(filter, limit: page.limit)).decodeAll(
      as: AuditReading.Entry.init)
    let names = await users(Set(rows.map(\.uid)))
    return JSONValue.array(rows.map { $0.json(names[$0.uid]) }).json
  }

  private func settings(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let rows = try await transaction.query(SettingStatements.all).decodeAll(as: SettingStatements.Setting.init)
    let names = await users(Set(rows.compactMap(\.changedBy)))
    return JSONValue.array(rows.map { $0.json(names) }).json
  }
}
