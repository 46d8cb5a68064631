/// The numbers of an activity that scores are made of.
///
/// All in billionths of their unit, see `Billionths`: metres, seconds, metres a second.
package struct ActivityMeasures: Hashable, Sendable {
  package var distance: Int64
  package var elapsedTime: Int64
  package var movingTime: Int64
  package var maxSpeed: Int64?
  package var streams: Streams?

  package init(
    distance: Int64, elapsedTime: Int64, movingTime: Int64, maxSpeed: Int64? = nil, streams: Streams? = nil
  ) {
    self.distance = distance
    self.elapsedTime = elapsedTime
    self.movingTime = movingTime
    self.maxSpeed = maxSpeed
    self.streams = streams
  }
}
