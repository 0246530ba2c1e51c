package xvfb

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
)

const (
	protocol   = "MIT-MAGIC-COOKIE-1"
	cookieSize = 16

	// familyWild makes an entry good for every address of the host: a display
	// must survive a change of the host's name.
	familyWild = 0xffff
)

func newCookie() ([]byte, error) {
	b := make([]byte, cookieSize)
	if _, err := rand.Read(b); err != nil {
		return nil, fmt.Errorf("make cookie: %w", err)
	}
	return b, nil
}

// writeCookie writes an Xauthority file with one entry. The server reads it when
// it starts, clients when they connect. It is made anew so that its mode is
// 0600 whatever was there.
func writeCookie(path string, number int, cookie []byte) error {
	if err := remove(path); err != nil {
		return fmt.Errorf("write cookie: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write cookie: %w", err)
	}
	_, err = f.Write(authorityEntry(number, cookie))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write cookie: %w", err)
	}
	return nil
}

func authorityEntry(number int, cookie []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, familyWild)
	for _, field := range [][]byte{nil, []byte(strconv.Itoa(number)), []byte(protocol), cookie} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(field)))
		b = append(b, field...)
	}
	return b
}

// readCookie reads back what writeCookie wrote.
func readCookie(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(b) < 2 {
		return nil, fmt.Errorf("%s: too short", path)
	}
	var fields [][]byte
	for b = b[2:]; len(fields) < 4; {
		if len(b) < 2 {
			return nil, fmt.Errorf("%s: too short", path)
		}
		n := int(binary.BigEndian.Uint16(b))
		if len(b) < 2+n {
			return nil, fmt.Errorf("%s: too short", path)
		}
		fields, b = append(fields, b[2:2+n]), b[2+n:]
	}
	if string(fields[2]) != protocol || len(fields[3]) != cookieSize {
		return nil, fmt.Errorf("%s: no %s in it", path, protocol)
	}
	return fields[3], nil
}
