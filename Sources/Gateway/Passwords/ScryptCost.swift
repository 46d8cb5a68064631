/// The cost of one scrypt: memory is 128 x r x 2^logN bytes, time grows with p x r x 2^logN.
package struct ScryptCost: Hashable, Sendable {
  package let logN: Int
  package let r: Int
  package let p: Int

  /// The cost of new hashes: 128 MiB. Source: Accounts.docc/LogIn.md, "Passwords".
  package static let standard = ScryptCost(trusted: 17, 8, 1)

  static let logNRange = 10...18
  static let memoryBytesMax = 256 * 1024 * 1024

  /// Nil out of bounds: a stored text must not cost what it likes.
  package init?(logN: Int, r: Int, p: Int) {
    guard Self.logNRange.contains(logN), (1...16).contains(r), (1...4).contains(p),
      128 * r << logN <= Self.memoryBytesMax
    else { return nil }
    self.init(trusted: logN, r, p)
  }

  private init(trusted logN: Int, _ r: Int, _ p: Int) {
    (self.logN, self.r, self.p) = (logN, r, p)
  }
}
