import CryptoExtras
import Testing

@testable import Gateway

@Suite("A stored hash") struct PasswordHashTests {
  /// `hashlib.scrypt('pässword 😀'.encode(), salt=bytes(range(16)), n=2**10, r=8, p=2, dklen=32)` of Python.
  static let python = "$scrypt$ln=10,r=8,p=2$AAECAwQFBgcICQoLDA0ODw$CU3J5SC2Z27KIn6tzJB5J6nyLepDn0cUvuNfvB9DxT8"
  /// The example in the documentation of passlib: `password`.
  static let passlib = "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E"

  @Test(arguments: [("pässword 😀", python), ("password", passlib)])
  func `a stored hash equals the one that other programs compute and write`(password: String, text: String) throws {
    let stored = try #require(PasswordHash(text))
    let hash = try PasswordHash(of: password, salt: stored.salt, cost: stored.cost)
    #expect(hash.hasKey(of: stored))
    #expect(hash.description == text)
    #expect(try !PasswordHash(of: password + "x", salt: stored.salt, cost: stored.cost).hasKey(of: stored))
  }

  @Test func `a password hash reproduces the vector of RFC 7914`() throws {
    let key = try KDF.Scrypt.deriveKey(
      from: Array("pleaseletmein".utf8), salt: Array("SodiumChloride".utf8), outputByteCount: 8, rounds: 16_384,
      blockSize: 8, parallelism: 1)
    #expect(key.withUnsafeBytes { Array($0) } == [0x70, 0x23, 0xBD, 0xCB, 0x3A, 0xFD, 0x73, 0x48])
  }

  @Test func `a stored hash with a cost out of bounds is not even tried`() {
    for (logN, r, p) in [(17, 8, 1), (10, 1, 1), (18, 8, 4), (17, 16, 1)] {
      #expect(ScryptCost(logN: logN, r: r, p: p) != nil)
    }
    for (logN, r, p) in [
      (9, 8, 1), (19, 8, 1), (63, 8, 1), (64, 8, 1), (-1, 8, 1), (17, 0, 1), (17, 17, 1), (18, 16, 1), (17, 8, 0),
      (17, 8, 5), (17, .max, 1), (.max, .max, .max),
    ] {
      #expect(ScryptCost(logN: logN, r: r, p: p) == nil, "\(logN) \(r) \(p)")
    }
  }

  @Test func `a stored hash in any other form is refused`() {
    let good = Self.python
    #expect(PasswordHash(good) != nil)
    for bad in [
      "", "$", "$$$$", String(good.dropFirst()), String(good.dropLast()), good + "=", good + "$", " " + good,
      good.replacing("scrypt", with: "argon2id"), good.replacing("ln=10", with: "ln=40"),
      good.replacing("ln=10", with: "ln=x"),
      good.replacing("ln=10,r=8,p=2", with: "r=8,ln=10,p=2"), good.replacing("p=2", with: "p=2,x=1"),
      good.replacing("AAEC", with: "____"), good.replacing("$AAECAwQFBgcICQoLDA0ODw$", with: "$$"),
      String(repeating: "$", count: 100_000), good.replacing("ln=10", with: "ln=99999999999999999999"),
    ] {
      #expect(PasswordHash(bad) == nil, "\(bad.prefix(60))")
    }
  }
}
