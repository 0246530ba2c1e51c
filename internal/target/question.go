package target

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vibespace/internal/api"
	"vibespace/internal/store"
)

// Ask puts a question to the person, about a window the caller reaches. It
// waits for nothing.
func (e *Engine) Ask(ctx context.Context, c api.Caller, r api.AskRequest) (api.AskAnswer, error) {
	if err := checkWords("question", r.Text, api.MaxQuestion); err != nil {
		return api.AskAnswer{}, err
	}
	return doing(ctx, e, c, r.Handle, "ask", needReach, func(ctx context.Context, t *turn) (api.AskAnswer, error) {
		q := store.Question{Session: c.Session, Handle: t.w.handle, Text: r.Text, Asked: time.Now().UTC()}
		var err error
		q.ID, err = e.cfg.Store.AddQuestion(ctx, q, api.MaxOpenQuestions)
		if errors.Is(err, store.ErrFull) {
			return api.AskAnswer{}, api.Refuse(api.Busy, "%d questions of this session wait for the person already", api.MaxOpenQuestions).
				WithHint("go on without, or wait for an answer: it comes with a later command")
		}
		if err != nil {
			return api.AskAnswer{}, err
		}
		e.Touch()
		return api.AskAnswer{Answer: e.answer(c), Handle: t.w.handle, Question: asQuestion(q)}, nil
	})
}

// checkWords refuses what is no question and no answer.
func checkWords(what, text string, most int) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return api.Refuse(api.ControlChar, "the %s is not valid UTF-8", what).WithHint("send it as UTF-8")
	case strings.TrimSpace(text) == "":
		return api.Refuse(api.BadRequest, "the %s is empty", what).WithHint("say it in words")
	case n > most:
		return api.Refuse(api.TextTooLong, "the %s has %d characters, and may have %d", what, n, most).
			WithHint("say it shorter").With("limit", most)
	}
	return nil
}

// asQuestion is a question as answers show it.
func asQuestion(q store.Question) api.Question {
	v := api.Question{
		ID: api.QuestionID("q" + strconv.FormatInt(q.ID, 10)), Session: q.Session, Handle: q.Handle, Text: q.Text,
		Asked: q.Asked, Answer: q.Answer,
	}
	if q.Answer != nil {
		v.Answered = &q.Answered
	}
	return v
}

// Questions lists what waits for the person, or all that is kept. The person's
// alone.
func (e *Engine) Questions(ctx context.Context, c api.Caller, r api.QuestionsRequest) (api.QuestionsAnswer, error) {
	if err := ownerOnly(c, "questions"); err != nil {
		return api.QuestionsAnswer{}, err
	}
	list, err := e.cfg.Store.Questions(ctx, "", r.All)
	if err != nil {
		return api.QuestionsAnswer{}, err
	}
	answer := api.QuestionsAnswer{OK: true, Questions: []api.Question{}}
	for _, q := range list {
		answer.Questions = append(answer.Questions, asQuestion(q))
	}
	return answer, nil
}

// openQuestions counts the questions that wait for the person, by window.
func (e *Engine) openQuestions(ctx context.Context) (map[api.Handle]int, error) {
	list, err := e.cfg.Store.Questions(ctx, "", false)
	if err != nil {
		return nil, err
	}
	open := map[api.Handle]int{}
	for _, q := range list {
		open[q.Handle]++
	}
	return open, nil
}

// questionForm is what a question is called.
var questionForm = regexp.MustCompile(`^q([1-9][0-9]{0,17})$`)

// Reply answers a question, once; its session is told with its next command.
// The person's alone.
func (e *Engine) Reply(ctx context.Context, c api.Caller, r api.ReplyRequest) (api.ReplyAnswer, error) {
	if err := ownerOnly(c, "answer"); err != nil {
		return api.ReplyAnswer{}, err
	}
	if err := checkWords("answer", r.Text, api.MaxReply); err != nil {
		return api.ReplyAnswer{}, err
	}
	var id int64
	if m := questionForm.FindStringSubmatch(string(r.ID)); m != nil {
		id, _ = strconv.ParseInt(m[1], 10, 64) // the pattern passed it; 0 is no question
	}
	q, err := e.cfg.Store.AnswerQuestion(ctx, id, r.Text, time.Now().UTC(), answered)
	switch {
	case errors.Is(err, store.ErrAbsent):
		return api.ReplyAnswer{}, api.Refuse(api.BadRequest, "there is no question %s", api.Quote(string(r.ID), 40)).
			WithHint("vibespace questions")
	case errors.Is(err, store.ErrExists):
		return api.ReplyAnswer{}, api.Refuse(api.BadRequest, "question %s was answered at %s", r.ID, q.Answered.Format(time.RFC3339)).
			WithHint("vibespace questions --all").With("answer", q.Answer)
	case err != nil:
		return api.ReplyAnswer{}, err
	}
	e.Touch()
	return api.ReplyAnswer{OK: true, Question: asQuestion(q)}, nil
}

// gist is how much of a question its answer repeats.
const gist = 80

// answered is what a session is told of an answer.
func answered(q store.Question) string {
	return fmt.Sprintf("the person answered q%d (%s, %s): %s", q.ID, q.Handle, api.Quote(q.Text, gist), api.Quote(*q.Answer, 0))
}
