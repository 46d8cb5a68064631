import Foundation

/// The Swift tool chain, which roots of other Debian releases lack (deploy/suite).
package enum SwiftToolChain {
  /// Why no test can compile here; nil where one can.
  package static let absence: String? = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let hasCompiler = path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/swiftc")
    }
    return hasCompiler ? nil : "no directory of PATH has swiftc"
  }()
}
