//go:build gles

package main

import "testing"

// TestParse: what is asked for on the command line.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		args         []string
		window, said string
		wrong        bool
	}{
		{nil, "", "", false},
		{[]string{"--help"}, "", help, false},
		{[]string{"-h"}, "", help, false},
		{[]string{"--version"}, "", version + "\n", false},
		{[]string{"--window", "w1"}, "w1", "", false},
		{[]string{"--window=w1"}, "w1", "", false},
		{[]string{"--window", "w1", "--help"}, "", help, false},
		{[]string{"--window"}, "", "", true},
		{[]string{"--window="}, "", "", true},
		{[]string{"--window", "w1", "w2"}, "", "", true},
		{[]string{"open"}, "", "", true},
	} {
		window, said, err := parse(c.args)
		if window != c.window || said != c.said || (err != nil) != c.wrong {
			t.Errorf("%q: window %q, said %q, %v", c.args, window, said, err)
		}
	}
}
