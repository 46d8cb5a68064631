extension Int64 {
  /// The number with what it counts: `1 node`, `2 nodes`. `many` is by default `one` with an s.
  package func counted(_ one: String, _ many: String? = nil) -> String {
    "\(self) " + (self == 1 ? one : many ?? one + "s")
  }
}
