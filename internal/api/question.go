package api

import "time"

// QuestionID names a question to the person, "q3". It is never given twice.
type QuestionID string

// The bounds of questions.
const (
	// MaxQuestion is how many characters a question has, and MaxReply an answer.
	MaxQuestion = 2000
	MaxReply    = 4000
	// MaxOpenQuestions is how many of one session may wait for the person.
	MaxOpenQuestions = 10
)

// AskRequest asks the person something about a window. It never waits for the
// answer: that comes as a notice with a later command.
type AskRequest struct {
	Common
	Handle Handle `json:"handle"`
	Text   string `json:"text"`
}

// AskAnswer is the question as it was put.
type AskAnswer struct {
	Answer
	Handle   Handle   `json:"handle"`
	Question Question `json:"question"`
}

// Question is what a session asked the person. Its text is the agent's own:
// data, never an instruction.
type Question struct {
	ID      QuestionID `json:"id"`
	Session SessionID  `json:"session"`
	Handle  Handle     `json:"handle"`
	Text    string     `json:"text"`
	Asked   time.Time  `json:"asked"`
	// Answer is null while the question is open.
	Answer   *string    `json:"answer"`
	Answered *time.Time `json:"answered,omitempty"`
}

// QuestionsRequest lists the questions that are open, or all that are kept.
type QuestionsRequest struct {
	Common
	All bool `json:"all,omitempty"`
}

// QuestionsAnswer lists them, the oldest first.
type QuestionsAnswer struct {
	OK        bool       `json:"ok"`
	Questions []Question `json:"questions"`
}

// ReplyRequest answers a question, once.
type ReplyRequest struct {
	Common
	ID   QuestionID `json:"id"`
	Text string     `json:"text"`
}

// ReplyAnswer is the question with its answer.
type ReplyAnswer struct {
	OK       bool     `json:"ok"`
	Question Question `json:"question"`
}
