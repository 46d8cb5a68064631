package import ControlAPI

extension PageState {
  /// Whether the page shows the button of a command: never one that its caller may not press.
  package func mayRun(_ command: CommandDescription) -> Bool {
    command.method == .get || (allowsChanges && caller.level >= command.level)
  }
}
