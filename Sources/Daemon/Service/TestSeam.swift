import HostProcess

/// Hooks for tests; a release build has none.
enum TestSeam {
  /// With `SETTLED_TEST_TRAP=JOB:KEY` in the environment of a debug build, that decision ends the process, like a bug
  /// in a decision.
  static let beforeDecision: @Sendable (String, String) throws -> Void = {
    #if DEBUG
      if let target = Host.environment["SETTLED_TEST_TRAP"] {
        return { job, key in precondition("\(job):\(key)" != target, "SETTLED_TEST_TRAP") }
      }
    #endif
    return { _, _ in }
  }()
}
