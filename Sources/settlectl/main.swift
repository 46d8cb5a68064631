import CommandLineTool

await runSettlectl()
