// Package view is what commands show, as data: one value for each command, which is its JSON, its text, and what a page of
// the console shows. A value is made from what the jobs found (StatusOf, RunOf, PlanOf …); the members of its types are those of --json,
// typed, and WriteText prints people the same figures. Write chooses between the two.
//
// The package reads no flags, opens nothing and calls nothing. Members that --json prints are a contract with scripts: one is
// added, never renamed. Amounts are exact texts in JSON and have two decimals in text; instants are UTC in JSON and on the
// configured clock in text. Packages bankview and caseview below it have what is shown of the bank and of cases.
package view
