/// The class of a speed: its colour on the track and in the profile.
package enum SpeedClass {
  /// Upper bounds of the first four classes, in millimetres a second.
  package static let bounds: [Int64] = [3_200, 4_000, 5_000, 6_200]

  /// 1 to 5.
  package static func of(_ mmPerSecond: Int64) -> Int {
    1 + (bounds.firstIndex { mmPerSecond <= $0 } ?? bounds.count)
  }
}
