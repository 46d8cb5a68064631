/// Gives so many bytes that nobody can foresee.
package typealias RandomBytes = @Sendable (_ count: Int) -> [UInt8]

/// The system's own source: what a process hands in; tests hand in others.
package let systemRandomBytes: RandomBytes = { count in
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in generator.next() }
}
