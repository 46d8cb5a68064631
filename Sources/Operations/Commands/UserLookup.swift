/// Looks up the names of the machine's users; those without a name lack, and so do those not found in time.
package typealias UserLookup = @Sendable (Set<UInt32>) async -> [UInt32: String]
