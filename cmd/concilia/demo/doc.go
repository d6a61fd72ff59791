/*
Package demo lives what concilia demo shows: one morning of a merchant or several, against the sandbox in this process. It
writes the files that a user would have (configuration, contract, chart of accounts, statements of the bank, the stores' own
sales), runs each night as the command run does, acts as the merchant's people do between two mornings, and compares what was
found with what the sandbox had planted. Only this package and tests know the sandbox.
*/
package demo
