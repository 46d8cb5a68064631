import Foundation
import PackagePlugin

/// Turns the files with one of these endings in a target's folders into one Swift source with raw string literals.
///
/// Files beside the folders, such as `sql/schema.sql`, are for readers.
@main
struct EmbedFiles: BuildToolPlugin {
  private static let endings = ["css", "geojson", "html", "js", "sql", "txt"]

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
    let besideFolders = root.pathComponents.count + 1
    let files = urls.filter { $0.pathComponents.count > besideFolders }
    return files.filter { Self.endings.contains($0.pathExtension) }.sorted { $0.path() < $1.path() }
  }
}
