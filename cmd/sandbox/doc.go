// Command sandbox is the payment service of the interface document as a program: card installments, bank
// slips and the settlement simulator behind real logins, over seeded data with planted differences. It is
// the counterparty for tests, demos and integrators, and shares no code with the worker.
//
// main.go reads the options and serves; package world knows the data, package service speaks HTTP.
package main
