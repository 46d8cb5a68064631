/// The file of other issuers: a JSON list of objects.
///
/// Source: Gateway.docc/Callers.md. Each has `name`, `iss`, `aud` (a text, or null where it is not compared), `alg`
/// (HS256 with `key`, a secret as text; RS256 or ES256 with `jwks_file`, an absolute path), `identity` (athlete,
/// checkin or reader) and `claim` (a name, or names joined by points: `data.user.id`).
package struct IssuersFile: Sendable {
  package static let countMax = 64
  /// RFC 7518, 3.2: a secret of HS256 is as long as the hash at least.
  static let secretBytesMin = 32
  static let secretBytesMax = 1024

  package let issuers: [Issuer]
  /// Settings that work and ought to be changed: one line each.
  package let warnings: [String]

  /// Reads the file and the files of keys that it names.
  ///
  /// Throws `IssuersError` with all that is wrong: file, entry and key of each; no secret is repeated.
  /// `publicURL` is the `iss` of own tokens, which no entry may have. `now` never goes back; see
  /// `KeyFile` for when keys are read again.
  package init(
    path: String, publicURL: String, now: @escaping @Sendable () -> Duration,
    observe: @escaping @Sendable (TokenObservation) -> Void
  ) async throws(IssuersError) {
    let document: KeyDocument
    do {
      document = try KeyDocument(path: path)
    } catch {
      throw IssuersError(["\(path): \(error)"])
    }
    let entries: [StrictJSON]
    do {
      guard let elements = try StrictJSON(document.bytes).elements else {
        throw IssuersError(["\(path): is not a list of issuers"])
      }
      entries = elements
    } catch let error as StrictJSONError {
      throw IssuersError(["\(path): \(error)"])
    } catch let error as IssuersError {
      throw error
    } catch {
      throw IssuersError(["\(path): cannot be read"])
    }
    guard entries.count <= Self.countMax else {
      throw IssuersError(["\(path): has more than \(Self.countMax) issuers"])
    }

    var issuers: [Issuer] = []
    var problems: [String] = []
    var warnings: [String] = []
    var hasSecret = false
    for (index, entry) in entries.enumerated() {
      var reader = IssuerEntry(entry, place: "\(path): issuer \(index + 1)")
      reader.forbid("name", ["\(Caller.ownIssuer)": "is the gateway's own"])
      reader.forbid("name", Dictionary(issuers.map { ($0.name, "is duplicated") }) { first, _ in first })
      reader.forbid("iss", [publicURL: "is the gateway's own public_url"])
      reader.forbid("iss", Dictionary(issuers.map { ($0.iss, "is duplicated") }) { first, _ in first })
      let issuer = await reader.issuer(now: now, observe: observe)
      if let issuer { issuers.append(issuer) }
      hasSecret = hasSecret || issuer?.algorithm == .hs256
      problems += reader.problems
      warnings += reader.warnings
    }
    guard problems.isEmpty else { throw IssuersError(problems) }
    self.issuers = issuers
    if hasSecret && document.isPublic {
      warnings.append("\(path): contains a secret, and everyone on this machine can read the file")
    }
    self.warnings = warnings
  }
}

/// All that is wrong with the file of issuers: one line each.
package struct IssuersError: Error, Hashable, Sendable, CustomStringConvertible {
  package let problems: [String]

  package var description: String { problems.joined(separator: "\n") }

  init(_ problems: [String]) {
    self.problems = problems
  }
}
