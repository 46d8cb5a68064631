extension Int64 {
  /// The number with its noun: `1 node`, `2 nodes`. `many` defaults to `one` with an s.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(self) " + (self == 1 ? one : many ?? one + "s")
  }
}
