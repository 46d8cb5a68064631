/// The files of the page, embedded when the program is built.
enum PageFiles {
  static let style = text("Page/page.css") + text("Page/screens.css")
  static let script = text("Page/page.js")

  static func text(_ path: String) -> String {
    guard let file = embeddedFiles.first(where: { $0.path == path }) else {
      preconditionFailure("\(path) is not embedded")
    }
    return file.text
  }
}
