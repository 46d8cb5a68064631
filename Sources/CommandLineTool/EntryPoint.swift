package func runSettlectl() async -> Never { fatalError() }
