// Package salesview is what the commands of noun sales and the console's pages of stores show: files, payments and days of stores, and
// how their payments compare with the service. It keeps to the rules of package view.
package salesview
