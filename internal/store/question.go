package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"vibespace/internal/api"
)

// keptAnswered bounds the answered questions of a session that are kept.
const keptAnswered = 50

// ErrFull is what an insertion answers when there are as many as may be.
var ErrFull = errors.New("there are as many as may be")

// Question is what a session asked the person.
type Question struct {
	ID      int64
	Session api.SessionID
	Handle  api.Handle
	Text    string
	Asked   time.Time
	// Answer is nil while the question is open, and Answered zero.
	Answer   *string
	Answered time.Time
}

const questionColumns = `id, session, handle, text, asked, answer, answered`

// AddQuestion writes an open question and gives its number. A session that has
// most open ones is refused with ErrFull; of the answered ones only the last
// fifty are kept.
func (db *DB) AddQuestion(ctx context.Context, q Question, most int) (int64, error) {
	var id int64
	err := db.tx(ctx, fmt.Sprintf("add a question of session %q", q.Session), func(ctx context.Context, tx *sql.Tx) error {
		var open int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM questions WHERE session = ? AND answer IS NULL`, string(q.Session)).Scan(&open)
		if err != nil {
			return err
		}
		if open >= most {
			return ErrFull
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO questions(session, handle, text, asked) VALUES(?, ?, ?, ?)`,
			string(q.Session), string(q.Handle), q.Text, q.Asked.UnixMilli())
		if err != nil {
			return err
		}
		if id, err = res.LastInsertId(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM questions WHERE session = ?1 AND answer IS NOT NULL AND id <= (
			SELECT id FROM questions WHERE session = ?1 AND answer IS NOT NULL ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
			string(q.Session), keptAnswered)
		return err
	})
	return id, err
}

// Questions lists the open questions, or all of them, the oldest first; of one
// session, or of every one with "".
func (db *DB) Questions(ctx context.Context, session api.SessionID, all bool) ([]Question, error) {
	return list(ctx, db, "read questions", scanQuestion, `SELECT `+questionColumns+` FROM questions
		WHERE (?1 = '' OR session = ?1) AND (?2 OR answer IS NULL) ORDER BY id`, string(session), all)
}

// AnswerQuestion answers an open question and, in the same step, keeps what its
// session is told of it. It gives the question as it is then. ErrAbsent when
// there is no such question, ErrExists when it was answered before.
func (db *DB) AnswerQuestion(ctx context.Context, id int64, answer string, at time.Time, told func(Question) string) (Question, error) {
	var q Question
	err := db.tx(ctx, fmt.Sprintf("answer question %d", id), func(ctx context.Context, tx *sql.Tx) error {
		var err error
		q, err = scanQuestion(tx.QueryRowContext(ctx, `SELECT `+questionColumns+` FROM questions WHERE id = ?`, id))
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrAbsent
		case err != nil:
			return err
		case q.Answer != nil:
			return ErrExists
		}
		if _, err := tx.ExecContext(ctx, `UPDATE questions SET answer = ?, answered = ? WHERE id = ?`, answer, at.UnixMilli(), id); err != nil {
			return err
		}
		q.Answer, q.Answered = &answer, at
		return addNotice(ctx, tx, q.Session, told(q), at)
	})
	return q, err
}

// scanQuestion reads one row of questions.
func scanQuestion(s scanner) (Question, error) {
	var q Question
	var asked, answered sql.NullInt64
	var answer sql.NullString
	err := s.Scan(&q.ID, &q.Session, &q.Handle, &q.Text, &asked, &answer, &answered)
	q.Asked, q.Answered = instant(asked), instant(answered)
	if answer.Valid {
		q.Answer = &answer.String
	}
	return q, err
}
