/// How long a schedule's runs wait after their instants, so that many schedules spread.
package enum Splay {
  /// Stable: the same for a name whenever and wherever it is asked for; less than `span`.
  package static func delay(of name: String, within span: Duration) -> Duration {
    let milliseconds = span.components.seconds * 1000 + span.components.attoseconds / 1_000_000_000_000_000
    guard milliseconds > 0 else { return .zero }
    // FNV-1a: Swift's own hashes differ from run to run.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return .milliseconds(Int64(hash % UInt64(milliseconds)))
  }
}
