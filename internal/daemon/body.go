package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"vibespace/internal/api"
)

// bodyTime is how long a body may be on its way: the peer is on this machine.
const bodyTime = 5 * time.Second

// readBody reads a request's body within its bounds.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return nil, api.Refuse(api.Internal, "the connection has no deadline: %v", err)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, api.MaxBody))
	if err == nil {
		// Afterwards the server watches the connection for the caller's end,
		// which a deadline would be taken for.
		err = control.SetReadDeadline(time.Time{})
	} else {
		// Not to wait for the rest of the body before answering.
		w.Header().Set("Connection", "close")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, api.Refuse(api.TooLarge, "the request is larger than %d bytes", large.Limit).
			WithHint("split it: a type takes 100,000 characters at most")
	case err != nil:
		return nil, api.Refuse(api.BadRequest, "the request did not arrive whole: %v", err)
	}
	return body, nil
}

// decode reads a request from JSON. What is not a field of it is refused by
// name: a field that was meant and is ignored does something else.
func decode(body []byte, into any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil // no field is needed: the defaults are meant
	}
	if !utf8.Valid(body) {
		return badBody("it is not UTF-8")
	}
	if body[0] != '{' {
		return badBody("it is not a JSON object")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badBody(bodyFault(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return badBody("something follows the JSON object")
	}
	return nil
}

// onWire drops the embedded structs from a field's path as the decoder gives
// it: "Act.handle" is handle on the wire, where every key begins small.
func onWire(path string) string {
	kept := []string{}
	for _, part := range strings.Split(path, ".") {
		if part != "" && (part[0] < 'A' || part[0] > 'Z') {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ".")
}

// badBody refuses a body, saying what is wrong with it.
func badBody(why string) error {
	return api.Refuse(api.BadRequest, "the request cannot be read: %s", why)
}

// bodyFault says in our words what the decoder found.
func bodyFault(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("field %s cannot be a %s", api.Quote(onWire(kind.Field), 80), kind.Value)
	case errors.As(err, &kind):
		return "it cannot be a " + kind.Value
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not JSON from byte %d on", syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends in the middle"
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "it has no field " + api.Quote(strings.Trim(field, `"`), 80)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
