import CryptoExtras
import TextCoding

/// The stored form of a password: cost, salt and key, in the PHC form `$scrypt$ln=17,r=8,p=1$SALT$KEY`.
///
/// Salt and key are base64 without padding, as other programs write and read them.
package struct PasswordHash: Hashable, Sendable, CustomStringConvertible {
  static let saltBytes = 16
  static let keyBytes = 32

  package let cost: ScryptCost
  let salt: [UInt8]
  let key: [UInt8]

  /// Hashes a password. Takes memory and time by the cost, on the thread of the caller.
  ///
  /// Throws where the system has no memory for it.
  init(of password: String, salt: [UInt8], cost: ScryptCost) throws {
    let derived = try KDF.Scrypt.deriveKey(
      from: Array(password.utf8), salt: salt, outputByteCount: Self.keyBytes, rounds: 1 << cost.logN,
      blockSize: cost.r, parallelism: cost.p)
    self.cost = cost
    self.salt = salt
    key = derived.withUnsafeBytes { Array($0) }
  }

  /// Nil where the text is none of this form, or its cost is out of bounds.
  package init?(_ text: String) {
    let parts = text.utf8.count <= 200 ? text.split(separator: "$", omittingEmptySubsequences: false) : []
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Self.cost(parts[2]),
      let salt = UnpaddedBase64.standard.decode(parts[3].utf8), salt.count == Self.saltBytes,
      let key = UnpaddedBase64.standard.decode(parts[4].utf8), key.count == Self.keyBytes
    else { return nil }
    self.cost = cost
    self.salt = salt
    self.key = key
  }

  private static func cost(_ text: Substring) -> ScryptCost? {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 3 else { return nil }
    let values = zip(fields, ["ln=", "r=", "p="]).compactMap { field, name in
      field.hasPrefix(name) ? Int(field.dropFirst(name.count)) : nil
    }
    return values.count == 3 ? ScryptCost(logN: values[0], r: values[1], p: values[2]) : nil
  }

  package var description: String {
    let (salt, key) = (UnpaddedBase64.standard.encode(salt), UnpaddedBase64.standard.encode(key))
    return "$scrypt$ln=\(cost.logN),r=\(cost.r),p=\(cost.p)$\(salt)$\(key)"
  }

  /// Compares in a time that does not tell where keys differ.
  func hasKey(of other: PasswordHash) -> Bool {
    var difference = key.count ^ other.key.count
    for (mine, theirs) in zip(key, other.key) { difference |= Int(mine ^ theirs) }
    return difference == 0
  }
}
