/// Looks up the names of the machine's users; users without a name, or not found in time, are left out.
package typealias UserLookup = @Sendable (Set<UInt32>) async -> [UInt32: String]
