// Package cards holds the rules on card sales: the records, the assembly of a sale, fees, anticipation, receipts, splits, and
// what the settlement simulator charges.
//
// Most rules evaluate one installment, sale or split. What takes more than one row is a function of values that the caller
// collects: an anticipation order (EvaluateOrder), an answer of the simulator (EvaluateSimulation), sales that repeat another
// (DuplicateSales, which receives the sales of a day one by one), and installments without a contract line.
package cards
