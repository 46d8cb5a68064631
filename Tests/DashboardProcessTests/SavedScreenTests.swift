import Dashboard
import Foundation
import TestSupport
import Testing

@Suite("settlectl dashboard --save") struct SavedScreenTests {
  @Test func `every screen is saved as a private file without script, and no file is replaced`() async throws {
    let database = try await SettledDatabase.real()
    let daemon = try SettledProcess.daemon(database, node: "saved", SettledProcess.adminsAreOurs)
    try await daemon.log("ready")
    let own = try ScratchDirectory()
    let place = own.path + "/incident"
    let saved = try await daemon.settlectl("dashboard", "--save", place)
    #expect(saved.exit == .code(0) && saved.output.isEmpty, "\(saved.errors)")
    let screens = Screen.all.filter(\.isInNavigation)
    let files = try FileManager.default.contentsOfDirectory(atPath: place)
    #expect(Set(files) == Set(screens.map { $0.name + ".html" } + ["page.css"]))
    for screen in screens {
      let path = place + "/" + screen.name + ".html"
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("<title>\(screen.title) · settled</title>") && text.contains("<bdi>saved</bdi>"))
      #expect(!text.contains("<script") && !text.contains(" href=\"/"))
      #expect(!text.contains("<form") && !text.contains("<button") && !text.contains("class=\"seg\""))
      #expect(text.utf8.count <= 100_000, "\(screen.name)")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
    let again = try await daemon.settlectl("dashboard", "--save", place)
    #expect(again.exit == .code(64) && again.errors.contains("Directory not empty"), "\(again.errors)")
    let away = try await daemon.settlectl("dashboard", "--save", own.path + "/none/incident")
    #expect(away.exit == .code(64) && away.errors.contains("No such file"), "\(away.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: own.path) == ["incident"])
    daemon.terminate()
    #expect(try await daemon.exit() == .code(0))
    let none = try await daemon.settlectl("dashboard", "--save", own.path + "/none")
    #expect(none.exit == .code(69) && !FileManager.default.fileExists(atPath: own.path + "/none"))
  }

  @Test func `a signal while the daemon hangs leaves no directory behind`() async throws {
    // It answers what is asked once, and none of the screens.
    let daemon = try await StandInDaemon { target in
      ["/v1/status", "/v1/caller", "/v1/settings"].contains(target) ? .json("{}") : nil
    }
    let own = try ScratchDirectory()
    let saving = try SettledProcess(
      ["dashboard", "--socket", daemon.path, "--save", own.path + "/incident"], program: SettledProcess.tool)
    try await untilTrue("the unfinished directory") {
      try !FileManager.default.contentsOfDirectory(atPath: own.path).isEmpty
    }
    saving.interrupt()
    #expect(try await saving.exit() == .signal(SIGINT))
    #expect(try FileManager.default.contentsOfDirectory(atPath: own.path) == [])
  }
}
