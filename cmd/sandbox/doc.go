// Command sandbox is the payment service of the interface document as a program: both API families, from
// onboarding to notifications, behind real logins and over seeded data with planted differences. It is the
// counterparty for tests, demos and integrators, and shares no code with the worker.
//
// Without a subcommand it serves; "client add" onboards a company into the state file a serving sandbox
// reads. main.go serves, options.go reads the flags, help.go prints help and the start banner, client.go onboards
// clients; package world holds the data, package service serves HTTP.
package main
