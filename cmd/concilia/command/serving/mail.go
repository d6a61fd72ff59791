package serving

import (
	"context"
	"fmt"
	"io"
	netmail "net/mail"
	"os"

	"github.com/spf13/cobra"

	"concilia/cmd/concilia/command"
	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/mail"
	"concilia/export/words"
)

// NewMail is the command mail and those below it.
func NewMail(inv *command.Invocation) *cobra.Command {
	cmd := command.MakeGroup(&cobra.Command{
		Use:   "mail",
		Short: "show the morning's mail, or try the mail server",
		Long: `mail shows what people get by mail in the morning (mail.digest of the configuration), and tries the mail server. Mail is sent by
whoever ends a run, and by serve.`,
	})
	cmd.AddCommand(newMailShow(inv), newMailTest(inv))
	return cmd
}

func newMailShow(inv *command.Invocation) *cobra.Command {
	var numbers []int64
	var file string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "print today's mail, and send nothing",
		Long: `show prints the mail about the last night, in the language of --lang: its subject and its text. With --html it also writes the
same as HTML. It sends nothing and needs no mail server. With --json it prints one object: {"subject","text","html"}.

Exit status: 0 printed; 2 usage; 40 configuration; 50 ledger unreachable.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return showMail(cmd.Context(), inv, numbers, file) },
	}
	command.AddAccountFlag(cmd.Flags(), &numbers)
	cmd.Flags().StringVar(&file, "html", "", "write the HTML to this file")
	return cmd
}

func showMail(ctx context.Context, inv *command.Invocation, numbers []int64, file string) error {
	w, done, err := inv.WireWorker(ctx, wire.WantKept)
	if err != nil {
		return err
	}
	defer done()
	c, err := config.LoadOffline(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return err
	}
	if len(numbers) > 0 {
		if _, err := wire.AccountNumbers(c, numbers); err != nil {
			return err
		}
	}
	accounts, err := wire.AccountNumbers(c, numbers)
	if err != nil {
		return err
	}
	if len(numbers) == 0 {
		accounts = nil // all of them, and what concerns none in particular
	}
	message, err := mailing.WriteDigest(ctx, desk.NewSourceOf(&inv.Process, c, w), c, accounts, string(inv.Language), false)
	if err != nil {
		return err
	}
	if file != "" {
		if err := os.WriteFile(file, []byte(message.HTML), 0o600); err != nil {
			return exit.NewInputError("--html", err)
		}
	}
	return inv.WritePage(mailPage{message})
}

// mailPage is a mail as mail show prints it.
type mailPage struct{ *mail.Message }

// WriteText writes the subject and the text.
func (p mailPage) WriteText(w io.Writer, l view.Language) error {
	_, err := fmt.Fprintf(w, "%s: %s\n\n%s", words.Text(l, "mail.subject_line"), p.Subject, p.Text)
	return err
}

func newMailTest(inv *command.Invocation) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "test --to ADDRESS",
		Short: "send one mail, and tell what the server said",
		Long: `test sends one message by the configured server, and prints what the server answered. It says nothing of the ledger.

Exit status: 0 the server took it; 2 usage; 40 configuration, certificate or credentials, or the server refuses the message; 50 the server
cannot be reached, or asks to come back later.`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return testMail(cmd.Context(), inv, to) },
	}
	cmd.Flags().StringVar(&to, "to", "", "address that gets it")
	return cmd
}

func testMail(ctx context.Context, inv *command.Invocation, to string) error {
	if a, err := netmail.ParseAddress(to); err != nil || a.Address == "" {
		return exit.NewUsageError("error.no_address", "hint.command", "address", to, "command", "concilia mail test --to ana@loja.example")
	}
	c, err := config.LoadMailing(inv.ConfigPath, inv.Lookup)
	if err != nil {
		return err
	}
	if !c.Mail.IsEnabled() {
		return exit.WithCode(words.NewFault("error.no_mail_server", "hint.mail_server"), exit.Config)
	}
	page := &mail.Page{
		Language: string(inv.Language), Title: words.Text(inv.Language, "mail.test_title"), Headline: words.Text(inv.Language, "mail.test_text"), Good: true,
	}
	message, err := mail.Write("concilia: "+page.Title, page)
	if err != nil {
		return err
	}
	now := inv.Wall()
	msg, err := message.Compose(c.Mail.From, to, "test "+now.String(), now)
	if err != nil {
		return err
	}
	answer, err := mailing.NewServer(c.Mail).Send(ctx, msg)
	switch {
	case mailing.IsMisconfigured(err):
		return exit.WithHint(exit.WithCode(err, exit.Config), "hint.mail_settings")
	case err != nil:
		return exit.WithHint(exit.WithCode(err, exit.Unreachable), "hint.mail_away")
	}
	return inv.WritePage(sentMail{To: to, Answer: answer})
}

// sentMail is what mail test prints.
type sentMail struct {
	To     string `json:"to"`
	Answer string `json:"answer"`
}

// WriteText writes what the server said.
func (p sentMail) WriteText(w io.Writer, l view.Language) error {
	_, err := fmt.Fprintln(w, words.Text(l, "mail.test_sent", "to", p.To, "answer", p.Answer))
	return err
}
