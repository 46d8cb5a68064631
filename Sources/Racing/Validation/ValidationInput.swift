/// What is known of a pending activity when it is validated.
package struct ValidationInput: Hashable, Sendable {
  package var activityType: String
  package var startLocation: Location?
  package var endLocation: Location?
  /// Whether there is a polyline that is not empty.
  package var hasTrack: Bool
  package var measures: ActivityMeasures

  package init(
    activityType: String, startLocation: Location?, endLocation: Location?, hasTrack: Bool, measures: ActivityMeasures
  ) {
    self.activityType = activityType
    self.startLocation = startLocation
    self.endLocation = endLocation
    self.hasTrack = hasTrack
    self.measures = measures
  }
}
