extension Duration {
  /// Whole microseconds, truncated.
  package var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// Whole milliseconds, truncated.
  package var milliseconds: Int64 { microseconds / 1000 }
}
