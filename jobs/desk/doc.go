// Package desk takes what people ask of cases, of months and of kept answers, and either does all of it or says why not.
//
// # The acts
//
//   - Act: one verb on cases, named or chosen by a filter: acknowledge, assign, dispute, waive, close, reopen;
//   - Period: closes a month of accounts on a basis, or reopens the one closed last. A close makes the revision stand that
//     was published last; Stands says for which kinds of report;
//   - Forget: erases a payer from the kept answers.
//
// Every act is written to the log of acts with its actor and reason, in the transaction of what it changes. Nothing is
// written for a dry run, nor for a request that changes nothing, so that a request may be repeated.
//
// # All or nothing
//
// A request that does not fit one of its cases or accounts is done for none of them. What stands in its way is collected and
// told at once, in a *RequestError, which every other job returns too to turn a person down: it has the words for the
// person and a hint at what would help, and the command line gives all of them one exit code.
//
// # Four eyes
//
// The first person's act on a verb that needs two is logged as a proposal and changes nothing. The same act with the same
// parameters by somebody else within seven days carries it out and names the proposal. Names are compared without regard
// to case. A proposal is used up by the act that confirms it.
//
// # What it must not do
//
// It does not run a rule, ask the service or publish: what the facts say of a case afterwards is the next reconcile's part.
package desk
