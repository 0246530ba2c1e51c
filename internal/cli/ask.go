package cli

import (
	"github.com/spf13/cobra"

	"vibespace/internal/api"
	"vibespace/internal/client"
)

func (r *run) ask() *cobra.Command {
	return &cobra.Command{
		Use: `ask <handle> "question"`, Short: "ask the person; the answer comes as a notice with a later command",
		RunE: verb(r, "ask", (*client.Client).Ask, func(cmd *cobra.Command, args []string) (api.AskRequest, error) {
			named, text := words(cmd, args)
			if len(named) == 0 {
				return api.AskRequest{}, misuse(cmd, "the handle is missing")
			}
			question, err := theText(cmd, named[1:], text)
			return api.AskRequest{Common: r.common(), Handle: api.Handle(named[0]), Text: question}, err
		}),
	}
}

func (r *run) questions() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "questions", Short: "what agents asked you and wait for", Args: takes(0, 0),
		RunE: verb(r, "questions", (*client.Client).Questions, func(*cobra.Command, []string) (api.QuestionsRequest, error) {
			return api.QuestionsRequest{Common: r.common(), All: all}, nil
		}, asOwner),
	}
	cmd.Flags().BoolVar(&all, "all", false, "those that were answered, too")
	return cmd
}

func (r *run) reply() *cobra.Command {
	return &cobra.Command{
		Use: `answer <id> "text"`, Short: "answer an agent's question; it is told with its next command",
		RunE: verb(r, "answer", (*client.Client).Reply, func(cmd *cobra.Command, args []string) (api.ReplyRequest, error) {
			named, text := words(cmd, args)
			if len(named) == 0 {
				return api.ReplyRequest{}, misuse(cmd, "the question is missing: vibespace questions lists them")
			}
			answer, err := theText(cmd, named[1:], text)
			return api.ReplyRequest{Common: r.common(), ID: api.QuestionID(named[0]), Text: answer}, err
		}, asOwner),
	}
}
