// The gateway: the HTTP endpoints that the documents of the systems name, on PostgreSQL and nothing else.
//
// It decides who asks (tokens) and for whom (routes); functions of the schema `gateway` decide everything else, and
// make the answers. Each request is one statement, one round trip and one transaction.
//
// It keeps no state, so that any number may run. It never imports the engine or a system, and never speaks to the
// daemon. A database that is away is answered with 503 until it is back. Its rules: Gateway.docc/Gateway.md.
