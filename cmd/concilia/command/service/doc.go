/*
Package service has the commands that ask the payment service directly and keep nothing: webhook manages where it sends its notifications,
simulate asks what to charge.
*/
package service
