import Foundation
import PackagePlugin

/// Turns a target's `.sql` and `.geojson` files into one Swift source with raw string literals.
@main
struct EmbedFiles: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let root = target.directoryURL
    let files = try embeddedFiles(under: root)
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(files.count) files of \(target.name)",
        executable: try context.tool(named: "EmbedFilesTool").url,
        arguments: [output.path(), root.path()] + files.map { $0.path() },
        inputFiles: files,
        outputFiles: [output])
    ]
  }

  private func embeddedFiles(under root: URL) throws -> [URL] {
    let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let urls = (walker?.allObjects ?? []).compactMap { $0 as? URL }
    return urls.filter { ["sql", "geojson"].contains($0.pathExtension) }.sorted { $0.path() < $1.path() }
  }
}
