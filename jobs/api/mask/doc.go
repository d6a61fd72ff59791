// Package mask hides card numbers in what the payment service and others send, in place or as a stream, so that the length of a text and
// of a body never changes. Of a card number the first six and the last four characters are left, the rest are stars.
//
// What is hidden depends on where a number stands:
//
//   - in a cardNumber member everything is, whether or not its check digit is right (Card, Members);
//   - in a row that could not be read, or a name, 13 to 19 digits whose check digit is right are (Cards);
//   - in other texts they must also begin as an issuer's numbers do, since one number in ten has a right check digit by chance (FreeText,
//     CardsOfIssuers). Members that identify a row are kept whole;
//   - in an error of the service every run of 11 digits or more is: it may name a person (LongRuns).
//
// BodyWriter does the first and the third to a whole body while it arrives. Masking again changes nothing.
package mask
