/// Gives so many bytes that nobody can foresee.
package typealias RandomBytes = @Sendable (_ count: Int) -> [UInt8]
