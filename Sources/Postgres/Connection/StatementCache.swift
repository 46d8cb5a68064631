/// The statements that the server has prepared for this connection, the least recently used to go first.
struct StatementCache {
  static let countMax = 256

  struct Key: Hashable {
    let sql: String
    let types: [PostgresType]

    init(_ statement: Statement) {
      sql = statement.sql
      types = statement.binds.map(\.type)
    }
  }

  private struct Entry {
    let name: String
    var lastUse: Int
  }

  private var entries: [Key: Entry] = [:]
  private var uses = 0
  private var names = 0

  /// No other connection's: behind a proxy that pools transactions, an equal name would run another's statement.
  private let prefix = "s" + String(UInt64.random(in: 0...UInt64.max), radix: 36)

  /// Names that the server still holds and nobody wants; they are deallocated with the next statement.
  private var stale: [String] = []

  var count: Int { entries.count }

  /// The name under which the statement is prepared.
  mutating func name(for key: Key) -> String? {
    uses += 1
    entries[key]?.lastUse = uses
    return entries[key]?.name
  }

  mutating func makeName() -> String {
    names += 1
    return "\(prefix)_\(names)"
  }

  mutating func insert(_ key: Key, name: String) {
    if entries.count >= Self.countMax, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      remove(oldest.key)
    }
    uses += 1
    entries[key] = Entry(name: name, lastUse: uses)
  }

  mutating func remove(_ key: Key) {
    if let entry = entries.removeValue(forKey: key) { stale.append(entry.name) }
  }

  /// The server has forgotten all of them.
  mutating func removeAll() {
    entries = [:]
    stale = []
  }

  /// The server has them, but must prepare them again.
  mutating func retireAll() {
    stale += entries.values.map(\.name)
    entries = [:]
  }

  /// The names to deallocate now.
  mutating func takeStale() -> [String] {
    defer { stale = [] }
    return stale
  }

  /// A name of `takeStale` that was not deallocated after all.
  mutating func keepStale(_ name: String) {
    stale.append(name)
  }
}
