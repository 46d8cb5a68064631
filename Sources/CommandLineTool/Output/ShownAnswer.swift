/// An answer that several commands show to people in the same words.
protocol ShownAnswer: Decodable {
  /// Without a line feed at its end.
  func text(_ style: Style) -> String
}
