package mcp

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"vibespace/internal/api"
)

// schemaOf is the JSON schema of a request, as short as it can be: a list of
// tools is read by somebody who pays by the token, so what a field is for is said
// once, in the tool's own words or in those about all of them.
func schemaOf[Q any](h how) json.RawMessage {
	s := schema{h: h, props: map[string]any{}}
	s.fields(reflect.TypeFor[Q]())
	raw, err := json.Marshal(s.object())
	if err != nil {
		panic("mcp: a schema cannot be written: " + err.Error())
	}
	return raw
}

// schema is a schema in the making.
type schema struct {
	h        how
	props    map[string]any
	required []string
}

// object is the schema.
func (s *schema) object() map[string]any {
	o := map[string]any{"type": "object", "properties": s.props}
	if len(s.required) > 0 {
		o["required"] = s.required
	}
	return o
}

// fields adds the fields of a struct, those of what it embeds among them.
func (s *schema) fields(t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			s.fields(f.Type)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || slices.Contains(s.h.hide, name) {
			continue
		}
		s.props[name] = s.property(name, f.Type)
		optional := strings.Contains(options, "omitempty") || f.Type.Kind() == reflect.Pointer
		if !optional || slices.Contains(s.h.need, name) {
			s.required = append(s.required, name)
		}
	}
}

// property is the schema of one field.
func (s *schema) property(name string, t reflect.Type) map[string]any {
	if words := s.h.enum[name]; len(words) > 0 {
		return map[string]any{"enum": words}
	}
	return kindOf(t)
}

// kindOf is the schema of a type.
func kindOf(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[*api.Point]():
		return pair("x", "y")
	case reflect.TypeFor[*api.Size]():
		return pair("w", "h")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": kindOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object"}
	}
	panic("mcp: a field of type " + t.String())
}

// pair is the schema of two numbers.
func pair(a, b string) map[string]any {
	n := map[string]any{"type": "integer"}
	return map[string]any{"type": "object", "properties": map[string]any{a: n, b: n}, "required": []string{a, b}}
}
