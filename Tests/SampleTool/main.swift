import CommandLineTool

await runSettlectl(SampleTool.self)
