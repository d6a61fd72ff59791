// Package bankview is what the commands of noun bank show: the conciliation of an account, its rows and one of them in detail. It
// keeps to the rules of package view.
package bankview
