package api

// OwnRequest makes a session for the process that asks, which has no token: it
// lives as long as the connection is held, and ends a little after. A process
// that lost its daemon shows the token it had and goes on as before.
type OwnRequest struct {
	Common
	Token string `json:"token,omitempty"`
}

// OwnAnswer is that session, and the only line of the answer.
type OwnAnswer struct {
	OK    bool      `json:"ok"`
	Label SessionID `json:"label"`
	Token string    `json:"token"`
}
