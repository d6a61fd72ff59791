// Package caseview is what commands and pages show of cases: a case, lists of them, claims and letters, and the explanation of a
// case or of an item. It keeps to the rules of package view.
package caseview
