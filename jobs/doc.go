// Package jobs has what concilia does: nightly runs, backfills, checks, and everything else that begins a run.
//
// A Worker has what every job needs: the ledger, a client of the service, the documents that the rules depend on, a target
// to publish to, and two clocks. The business clock says which day it is and dates what is pulled; a simulation may move it.
// The wall clock dates run records. Nothing here reads a clock, a flag, a file or the environment by itself: cmd/concilia
// does that.
//
// A Worker has the entry points alone. A job is a task, which begins an activeRun if it is recorded. The steps are small
// types that the task makes, each with what the step needs: pullSteps asks the service, reconciler applies the rules, a
// setplan.Planner says which report sets there are, a setpublish.Publisher renders and publishes them, a
// setpublish.FileRemover deletes what is past its days, runConclusion sums up. A runRecorder keeps the records of runs.
//
// A nightly run (Worker.Night) does these steps, in order:
//
//   - it takes in the files that banks and shop systems left in their inboxes (package othersides);
//   - it moves notifications from the inbox to the ledger and links each to its installment (package pull);
//   - it plans which windows of days to ask for (package plan), as units of work that several processes may share;
//   - it asks for the windows and merges each complete answer in one transaction, then asks a second time where lists
//     contradict each other (package pull);
//   - it applies the rules to every account (package evaluate), stores what changed in closed periods (package
//     restatement), and holds bank accounts and stores against what the service says (package othersides);
//   - it renders, proves and publishes the reports (package export/render), and deletes old ones.
//
// Backfill and PullRange ask for days that people choose. Reconcile, ReportNight and Report do a part of a nightly run.
// PreviewNight shows what a nightly run would publish. Check verifies the ledger and where notifications are sent. Calibrate
// measures which interpretations of undocumented members the rows support. NewRemoteWork does units of runs that other
// processes lead.
//
// Every job may be repeated and killed at any point: answers are merged completely or not at all, a second run adds nothing,
// and an unchanged report is not written again. A run holds a lease on each of its accounts; a second run fails and names the
// holder. A failure in one account is reported and does not stop the others.
//
// What people decide about cases, months and payers is in package casework; what is known of one case or item, in package
// explain; what a report set is, in package reportset; which sets a night owes or a request asks for, in package setplan; how they are published, in package setpublish;
// what reports read from the ledger, in package source.
//
// # One amount, from the service to a column of the EDI file
//
// The amount received for an installment is the member receivedValue of a record of the service. In the return file it is
// the net amount of segment U. These functions handle it, in this order:
//
//  1. jobs/pull Puller.PullUnits: asks for the windows of the night
//  2. jobs/api Client.SearchInstallments: requests a window and reads the response as a stream
//  3. jobs/api scanFixed: reads the number as an integer of ten-thousandths of a real, without floating point
//  4. store/facts PullStore.MergeInstallments: stores the row as a new version, if it changed
//  5. jobs/evaluate Evaluator.ReconcileAccount: begins the transaction of the account and gives the rules the ledger's facts
//  6. jobs/reconcile Account: reads the sales that changed, with their versions
//  7. jobs/reconcile installmentEvaluator.evaluateRow: compares the row with the contract by each rule
//  8. jobs/reconcile bridge.attributeRow: attributes expected minus received to a line of the bridge
//  9. store/results conclusionWriter.WriteExpectation: stores what should have been received, with the verdict
//  10. jobs nightlyRun.publish: selects the report sets of the night
//  11. jobs/reportset Builder.DescribeJob: says what is rendered of one set, as of the run
//  12. jobs/source rowReader.Installments: reads the versions and expectations of one set
//  13. export/render Set: writes every file of the set and proves its totals against the ledger
//  14. export/edi TitleBuilder.CardTitle: rounds the amount to cents and makes it the net amount of a title
//  15. export/cnab Writer.WriteTitle: writes the title as segments T and U
//  16. export/cnab Record.SetAmount: writes the digits into the columns of the field
//
// # One notification, from the service to a case
//
// A notification says that an installment changed its state. If complete answers do not show this installment, a case says
// so:
//
//  1. jobs/webhook Handler: receives the request, checks its credentials and answers
//  2. jobs/webhook Decode: reads the body as a notification
//  3. store Inbox.Keep: stores it durably before the answer is sent
//  4. jobs/pull Puller.LinkNotifications: moves it to the ledger at the beginning of a run
//  5. store/facts NotificationStore.ReceiveNotifications: stores it, once, however often it was sent
//  6. jobs/pull chooseInstallment: finds its installment by NSU, authorization and number
//  7. store/facts NotificationStore.NotifiedDays: adds its days to the plan of the night
//  8. jobs/reconcile notificationEvaluator.evaluateNotification: evaluates it by each rule on notifications
//  9. jobs/rules/notifications evaluateNotInPull: fires if its days were pulled completely and no row fits it
//  10. jobs/reconcile cases.recordOutcomes: opens, keeps or resolves the case
//  11. store/caselog Writer.WriteCase: stores the case and its event
package jobs
