import Gateway

await runGateway()
