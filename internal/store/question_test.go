package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vibespace/internal/api"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, dir)
	ctx := t.Context()
	must(t, db.AddSession(ctx, Session{Label: "a", TokenHash: []byte{1}, Created: now}, ""))
	add := func(s api.SessionID, text string) int64 {
		t.Helper()
		id, err := db.AddQuestion(ctx, Question{Session: s, Handle: "w1", Text: text, Asked: now}, 3)
		must(t, err)
		return id
	}
	one, two := add("a", "one é"), add("a", "two")
	add("b", "not yours")
	add("a", "three")
	if _, err := db.AddQuestion(ctx, Question{Session: "a", Asked: now}, 3); !errors.Is(err, ErrFull) {
		t.Errorf("one too many: %v", err)
	}
	told := func(q Question) string { return fmt.Sprintf("%d %s %s", q.ID, q.Text, *q.Answer) }
	q, err := db.AnswerQuestion(ctx, one, "yes", now, told)
	if err != nil || q.Answer == nil || *q.Answer != "yes" || !q.Answered.Equal(now) || q.Session != "a" || q.Text != "one é" {
		t.Errorf("%+v, %v", q, err)
	}
	if q, err := db.AnswerQuestion(ctx, one, "no", now, told); !errors.Is(err, ErrExists) || *q.Answer != "yes" {
		t.Errorf("answered twice: %+v, %v", q, err)
	}
	if _, err := db.AnswerQuestion(ctx, 99, "no", now, told); !errors.Is(err, ErrAbsent) {
		t.Errorf("a question that is not there: %v", err)
	}
	must(t, db.Close())
	db = open(t, dir)
	texts := func(s api.SessionID, all bool) []string {
		t.Helper()
		list, err := db.Questions(ctx, s, all)
		must(t, err)
		said := []string{}
		for _, q := range list {
			said = append(said, q.Text)
		}
		return said
	}
	if got := texts("", false); !slices.Equal(got, []string{"two", "not yours", "three"}) {
		t.Errorf("open: %q", got)
	}
	if got := texts("a", true); !slices.Equal(got, []string{"one é", "two", "three"}) {
		t.Errorf("all of a: %q", got)
	}
	if got, err := db.TakeNotices(ctx, "a"); err != nil || !slices.Equal(got, []string{"1 one é yes"}) {
		t.Errorf("told: %q, %v", got, err)
	}
	must(t, db.EndSession(ctx, "a", now, now))
	if got := texts("", true); !slices.Equal(got, []string{"not yours"}) {
		t.Errorf("after a has ended: %q", got)
	}
	if _, err := db.AnswerQuestion(ctx, two, "late", now, told); !errors.Is(err, ErrAbsent) {
		t.Errorf("a question of an ended session: %v", err)
	}
}

// TestAnsweredQuestionsAreBounded: an agent that asks for months does not grow
// the database, and the open ones are never what goes.
func TestAnsweredQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	db := open(t, t.TempDir())
	ctx := t.Context()
	open, err := db.AddQuestion(ctx, Question{Session: "a", Text: "open", Asked: now}, 9)
	must(t, err)
	for i := range keptAnswered + 10 {
		id, err := db.AddQuestion(ctx, Question{Session: "a", Text: strings.Repeat("x", i), Asked: now}, 9)
		must(t, err)
		_, err = db.AnswerQuestion(ctx, id, "yes", now, func(Question) string { return "told" })
		must(t, err)
	}
	all, err := db.Questions(ctx, "a", true)
	if err != nil || len(all) < keptAnswered || len(all) > keptAnswered+2 || all[0].ID != open {
		t.Errorf("%d are kept (%v), the first %+v", len(all), err, all[0])
	}
}
