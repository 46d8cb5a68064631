import Foundation

/// A test that takes all processors runs alone: in deploy/test after the others, and in deploy/soak.
package enum Campaign {
  package static var isAlone: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["SETTLED_ALONE"] != nil || environment["SETTLED_SOAK"] != nil
  }

  package static let why = "it takes all processors: deploy/test runs it alone, with SETTLED_ALONE"
}
