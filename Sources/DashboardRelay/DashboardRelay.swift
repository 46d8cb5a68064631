// The server of `settlectl dashboard`: it relays a browser's requests to the control socket as the operator himself.
//
// It serves one operator on a loopback address or a unix socket of his own. Requests are checked in the order of
// `Gate`. Screens are rendered by Dashboard; what changes is learned from one `watch`.
//
// It must never hold a login, write a file that others read, or fetch anything from elsewhere. A browser that is slow,
// hostile or gone costs what `RelayLimits` has.
