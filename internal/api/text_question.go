package api

import (
	"fmt"
	"strings"
)

// text tells that a question waits for the person.
func (a AskAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s asked the person %s: the answer comes with a later command\n", a.Handle, oneLine(string(a.Question.ID)))
	a.notices(b)
}

// text lists questions, each with its answer under it.
func (a QuestionsAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", plural(len(a.Questions), "question"))
	for _, q := range a.Questions {
		fmt.Fprintf(b, "%s %s about %s, since %s: %s\n", oneLine(string(q.ID)), oneLine(string(q.Session)), q.Handle, moment(q.Asked), Quote(q.Text, 0))
		if q.Answer != nil {
			fmt.Fprintf(b, "  answered: %s\n", Quote(*q.Answer, 0))
		}
	}
}

// text tells that a question was answered.
func (a ReplyAnswer) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s answered: %s is told with its next command\n", oneLine(string(a.Question.ID)), oneLine(string(a.Question.Session)))
}
