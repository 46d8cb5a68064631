/// Why a password was not hashed or compared.
package enum PasswordError: Error, Hashable, Sendable {
  /// It has fewer than 8 or more than 1,000 characters: 400.
  case length
  /// Too many wait already: 503, and the caller may try again.
  case busy
  /// The caller has gone.
  case cancelled
  /// The stored text is not one that `PasswordHasher` wrote, or names a cost out of bounds: an operator has to look.
  case unusableHash
}
