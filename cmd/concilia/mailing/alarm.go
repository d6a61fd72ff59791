package mailing

import (
	"encoding/json"
	"fmt"

	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/view/caseview"
	"concilia/config"
	"concilia/export/mail"
	"concilia/export/words"
	"concilia/jobs/casework"
	"concilia/store/ledger"
)

// writeAlarm writes an alert as a mail.
func writeAlarm(c *config.Config, lang string, a *ledger.Alert) (*mail.Message, error) {
	var alarm casework.Alarm
	if err := json.Unmarshal([]byte(a.Body), &alarm); err != nil {
		return nil, fmt.Errorf("read the alert: %w", err)
	}
	w := newDigestWriter(c, lang)
	day := view.SpellDate(alarm.AsOf, lang)
	what := words.Text(lang, "mail.alarm_"+alarm.On)
	if alarm.Account != 0 {
		what = w.lookUpText("mail.alarm_account", "account", alarm.Account, "what", what)
	}
	p := &mail.Page{Language: lang, Title: w.lookUpText("mail.alarm", "day", day), Headline: what, Foot: w.lookUpText("mail.alarm_foot")}
	if lang == "en" {
		p.Lines = []string{alarm.Text}
	}
	cases := mail.Section{Title: w.lookUpText("desk.cases")}
	for _, of := range alarm.Cases {
		amount, err := ledger.ParseAmount(of.Impact)
		if err != nil {
			return nil, fmt.Errorf("the impact of an alert: %w", err)
		}
		cases.Rows = append(cases.Rows, mail.Row{
			Text: caseview.RuleTitle(of.Code, lang), Note: w.lookUpText("desk.cases_n", "n", of.Cases) + " · " + of.Code, Amount: w.formatReais(amount),
			Link: w.linkTo("/cases", "code", of.Code),
		})
	}
	p.Sections = appendFilled(p.Sections, cases)
	if w.base != "" {
		p.Links = []mail.Link{{Text: w.lookUpText("mail.open_console"), Address: w.linkTo("/")}}
		if alarm.Run != "" {
			p.Links = append(p.Links, mail.Link{Text: w.lookUpText("desk.see_run"), Address: w.linkTo("/runs/" + alarm.Run)})
		}
	}
	return mail.Write(w.lookUpText("mail.alarm_subject", "day", day, "what", what), p)
}
