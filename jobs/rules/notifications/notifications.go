package notifications

import (
	"slices"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// The codes of this family that are judged outside a single notification, for which the run collects the subjects.
const (
	ChangeUnnotified  = "PULL_CHANGE_WITHOUT_WEBHOOK"
	WebhookSilence    = "WEBHOOK_SILENCE"
	SubscriptionDrift = "WEBHOOK_SUBSCRIPTION_DRIFT"
)

// webhookRules compare what the service notified with what the pulls show. They look at nothing in an account that is
// not told of changes.
func Rules() []rules.Rule {
	return append(noticeRules(), []rules.Rule{
		{
			Code: "WEBHOOK_STATE_CONFLICT", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnInstallment, Severity: ledger.Error,
			Needs: []rules.Need{rules.Notifications, rules.Installments, rules.Mapping}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1},
			Eligible: "installments with a linked notification whose day was pulled on a later date than the last of them tells of",
			Fires:    "the last notification and installmentStatus are of different classes, the row as it is for more than the grace in nights; Paid agrees with a received row too",
			Text: rules.Sentence{
				En: "Notification {movement} of {moment} says {expected}; the pull shows {actual}.",
				Pt: "A notificação {movement} de {moment} diz {expected}; a coleta mostra {actual}.",
			},
			EvaluateRow: evaluateStateConflict,
		},
		{
			Code: ChangeUnnotified, Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnInstallment, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Warning}, Needs: []rules.Need{rules.Notifications, rules.History, rules.Mapping}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 1},
			Eligible: "installments whose class changed between two pulls since notifications come, to open, received, blocked or cancelled",
			Fires:    "no notification of the new class between the two pulls, the grace in days before and after; an error when more than 1 % of the changes of a day are so, else a warning",
			Text: rules.Sentence{
				En: "The installment went from {before} to {after} between the pulls of {from} and {to}; no notification said so.",
				Pt: "A parcela passou de {before} para {after} entre as coletas de {from} e {to}; nenhuma notificação avisou.",
			},
			EvaluateRow: evaluateUnnotifiedChange,
		},
		{
			Code: WebhookSilence, Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnSource, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Notifications, rules.History, rules.Calendar}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 6},
			Eligible: "the notifications of an account; judged when the day before the as-of is a business day",
			Fires:    "none came in the last hours of that day, more than the grace, while this run's pulls show changes that none told of",
			Text: rules.Sentence{
				En: "No notification since {since}, while the pulls show {changes} changes that none told of.",
				Pt: "Nenhuma notificação desde {since}, enquanto as coletas mostram {changes} mudanças que nenhuma informou.",
			},
		},
		{
			Code: SubscriptionDrift, Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnAccount, Severity: ledger.Error,
			Needs: []rules.Need{rules.Subscription}, Tier: rules.Configured, Eligible: "accounts whose subscription the service was asked for",
			Fires: "the service sends the notifications of the account elsewhere, or nowhere",
			Text: rules.Sentence{
				En: "On {checked} the service did not send this account's notifications here[, but to {actual}].",
				Pt: "Em {checked} o serviço não enviava para cá as notificações desta conta[, e sim para {actual}].",
			},
		},
	}...)
}

// noticeRules judge one notification.
func noticeRules() []rules.Rule {
	return slices.Concat(linkRules(), arrivalRules())
}

// linkRules judge how a notification is linked, and what it says against the one before.
func linkRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "WEBHOOK_NOT_IN_PULL", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Error,
			Needs: []rules.Need{rules.Notifications, rules.Installments}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 7}, Eligible: "notifications",
			Fires: "linked to no installment after as many nights as the grace that pulled its day and the day before, both complete",
			Text: rules.Sentence{
				En: "Notification {movement} of {moment} speaks of an installment that {nights} nights of pulls did not show.",
				Pt: "A notificação {movement} de {moment} trata de uma parcela que {nights} noites de coleta não mostraram.",
			},
			EvaluateNotification: evaluateNotInPull,
		},
		{
			Code: "WEBHOOK_AMBIGUOUS", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Notifications, rules.Installments}, Tier: rules.Configured, Eligible: "notifications", Fires: "several installments fit and none wins",
			Text: rules.Sentence{
				En: "Notification {movement} of {moment} fits several installments.",
				Pt: "A notificação {movement} de {moment} corresponde a várias parcelas.",
			},
			EvaluateNotification: func(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
				return rules.FireIf(n.Target == nil && n.Ambiguous, rules.Outcome{}).WithNumbers(n.Figures)
			},
		},
		{
			Code: "WEBHOOK_CHAIN_BROKEN", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Warning,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, Eligible: "linked notifications",
			Fires: "the old value is of another class than the new value of the notification of the installment before it",
			Text: rules.Sentence{
				En: "Notification {movement} of {moment} says the status was {actual}; the one before it had made it {expected}.",
				Pt: "A notificação {movement} de {moment} diz que o status era {actual}; a anterior o havia deixado {expected}.",
			},
			EvaluateNotification: evaluateChain,
		},
	}
}

// arrivalRules judge how notifications arrive.
func arrivalRules() []rules.Rule {
	return []rules.Rule{
		{
			Code: "WEBHOOK_OUT_OF_ORDER", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Info,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, Eligible: "notifications", Fires: "the movement before it in order of number happened later",
			Text: rules.Sentence{
				En: "Notification {movement} tells of {moment}, movement {before} of {later}: a later one with a lower number.",
				Pt: "A notificação {movement} é de {moment} e o movimento {before}, de {later}: o mais recente tem o número menor.",
			},
			EvaluateNotification: evaluateOrderOfArrival,
		},
		{
			Code: "WEBHOOK_DUPLICATE", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Info,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, Eligible: "notifications", Fires: "the same movement arrived again with the same content",
			Text: rules.Sentence{
				En: "Notification {movement} of {moment} arrived {times} times.",
				Pt: "A notificação {movement} de {moment} chegou {times} vezes.",
			},
			EvaluateNotification: func(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
				return rules.FireIf(n.Repeats > 0, rules.Outcome{}).WithNumbers(func() []ledger.Number { return append(n.Figures(), rules.NamedCount("times", n.Repeats+1)) })
			},
		},
		{
			Code: "WEBHOOK_ID_REUSED", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Error,
			Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, Eligible: "notifications", Fires: "the same movement arrived with another content; both are kept",
			Text: rules.Sentence{
				En: "Movement {movement} came with {bodies} different contents; all are kept.",
				Pt: "O movimento {movement} veio com {bodies} conteúdos diferentes; todos foram guardados.",
			},
			EvaluateNotification: func(_ *rules.Env, n *rules.Notification, _ rules.Tolerance) rules.Outcome {
				return rules.FireIf(n.Bodies > 1, rules.Outcome{}).WithNumbers(func() []ledger.Number {
					return []ledger.Number{n.MovementFigure(), rules.NamedCount("bodies", n.Bodies)}
				})
			},
		},
		{
			Code: "WEBHOOK_LATE", Version: 1, Family: rules.FamilyNotifications, Subject: rules.OnNotification, Severity: ledger.Error,
			Grades: []ledger.Severity{ledger.Info}, Needs: []rules.Need{rules.Notifications}, Tier: rules.Configured, Default: rules.Tolerance{Grace: 4}, Eligible: "notifications",
			Fires: "it arrived more hours after the change than the grace: an error past 24, else an information",
			Text: rules.Sentence{
				En: "Notification {movement} of {moment} arrived {hours:hour:hours} later.",
				Pt: "A notificação {movement} de {moment} chegou {hours:hora:horas} depois.",
			},
			EvaluateNotification: evaluateArrival,
		},
	}
}
