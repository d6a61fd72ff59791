package notifications

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of this family that are evaluated outside a single notification, for which the run collects the subjects.
const (
	ChangeUnnotified  = "PULL_CHANGE_WITHOUT_WEBHOOK"
	WebhookSilence    = "WEBHOOK_SILENCE"
	SubscriptionDrift = "WEBHOOK_SUBSCRIPTION_DRIFT"
)

// Rules compare what the service notified with what the pulls show. They look at nothing in an account that is
// not subscribed to notifications.
func Rules() []rules.Rule {
	return append(noticeRules(), []rules.Rule{
		{
			Code: "WEBHOOK_STATE_CONFLICT", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Notifications, rules.Installments, rules.Mapping}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1},
			EvaluateRow: evaluateStateConflict,
		},
		{
			Code: ChangeUnnotified, Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.Notifications, rules.History, rules.Mapping}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1},
			EvaluateRow: evaluateUnnotifiedChange,
		},
		{
			Code: WebhookSilence, Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnSource, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Notifications, rules.History, rules.Calendar}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 6},
		},
		{
			Code: SubscriptionDrift, Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnAccount, Severity: ledger.Error,
			Needs: []rules.Need{rules.Subscription}, Tier: rules.Configured,
		},
	}...)
}

// noticeRules evaluate one notification.
func noticeRules() []rules.Rule {
	return slices.Concat(linkRules(), arrivalRules())
}

// linkRules evaluate how a notification is linked, and what it says against the one before.
func linkRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "WEBHOOK_NOT_IN_PULL", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Error,
			Needs: []rules.Need{rules.Notifications, rules.Installments}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 7},
			EvaluateNotification: evaluateNotInPull,
		},
		{
			Code: "WEBHOOK_AMBIGUOUS", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Notifications, rules.Installments}, Tier: rules.Configured, EvaluateNotification: func(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
				return rules.FireIf(n.Target == nil && n.Ambiguous, rules.Outcome{}).WithNumbers(n.Figures)
			},
		},
		{
			Code: "WEBHOOK_CHAIN_BROKEN", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured,
			EvaluateNotification: evaluateChain,
		},
	}
}

// arrivalRules evaluate how notifications arrive.
func arrivalRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "WEBHOOK_OUT_OF_ORDER", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Info,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, EvaluateNotification: evaluateOrderOfArrival,
		},
		{
			Code: "WEBHOOK_DUPLICATE", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Info,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, EvaluateNotification: func(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
				return rules.FireIf(n.Repeats > 0, rules.Outcome{}).WithNumbers(func() []ledger.Number { return append(n.Figures(), rules.NamedCount("times", n.Repeats+1)) })
			},
		},
		{
			Code: "WEBHOOK_ID_REUSED", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Error,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, EvaluateNotification: func(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
				return rules.FireIf(n.Bodies > 1, rules.Outcome{}).WithNumbers(func() []ledger.Number {
					return []ledger.Number{n.MovementFigure(), rules.NamedCount("bodies", n.Bodies)}
				})
			},
		},
		{
			Code: "WEBHOOK_LATE", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Info}, Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 4},
			EvaluateNotification: evaluateArrival,
		},
	}
}
