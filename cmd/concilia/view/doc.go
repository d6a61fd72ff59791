// Package view is what commands show, as data: one value for each command, which is its JSON, its text, and what a page of
// the console shows. A value is made from what the jobs found (CalibrationOf, runview.StatusOf …); the members of its types are those of --json,
// typed, and WriteText prints people the same figures. Write chooses between the two.
//
// The package reads no flags, opens nothing and calls nothing. Members that --json prints are a contract with scripts: one is
// added, never renamed. Amounts are exact texts in JSON and have two decimals in text; instants are UTC in JSON and on the
// configured clock in text. What is shown of runs, cases, the bank and stores is below it, in packages runview, caseview, bankview and
// salesview.
package view
