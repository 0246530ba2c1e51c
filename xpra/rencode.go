package xpra

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The codes of rencode, the way xpra writes values. Small numbers, short strings,
// lists and maps are told by their first byte alone.
const (
	codePosInt  = 0  // and the 43 after it: the number itself
	codeFloat64 = 44 // big endian, as all that follow
	codeList    = 59 // up to codeEnd
	codeDict    = 60
	codeInt     = 61 // in decimal, up to codeEnd
	codeInt8    = 62
	codeInt16   = 63
	codeInt32   = 64
	codeInt64   = 65
	codeFloat32 = 66
	codeTrue    = 67
	codeFalse   = 68
	codeNone    = 69
	codeNegInt  = 70 // -1, and the 31 after it
	codeFixDict = 102
	codeEnd     = 127
	codeFixStr  = 128
	codeFixList = 192
	fixInts     = 44
	fixNegInts  = 32
	fixDicts    = 25
	fixStrings  = 64
	fixLists    = 64
	maxDecimal  = 20 // digits of an integer
	maxNesting  = 32
	maxInPacket = 1 << 16       // values of one packet: a window's metadata has dozens
	maxLength   = math.MaxInt32 // of a string, as it is told
)

// errRencode says that what came is not what xpra writes.
var errRencode = errors.New("not a packet of xpra")

// encode appends a value: nil, bool, int, float64, string, []any or
// map[string]any. Any other type is a fault of ours.
func encode(b []byte, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, codeNone)
	case bool:
		if x {
			return append(b, codeTrue)
		}
		return append(b, codeFalse)
	case int:
		return encodeInt(b, x)
	case float64:
		return binary.BigEndian.AppendUint64(append(b, codeFloat64), math.Float64bits(x))
	case string:
		if len(x) < fixStrings {
			b = append(b, byte(codeFixStr+len(x)))
		} else {
			b = append(strconv.AppendInt(b, int64(len(x)), 10), ':')
		}
		return append(b, x...)
	case []any:
		return encodeList(b, x)
	case map[string]any:
		return encodeDict(b, x)
	}
	panic(fmt.Sprintf("xpra: a packet with a %T", v))
}

func encodeInt(b []byte, x int) []byte {
	switch {
	case x >= 0 && x < fixInts:
		return append(b, byte(codePosInt+x))
	case x < 0 && x >= -fixNegInts:
		return append(b, byte(codeNegInt-1-x))
	case x >= math.MinInt8 && x <= math.MaxInt8:
		return append(b, codeInt8, byte(int8(x)))
	case x >= math.MinInt16 && x <= math.MaxInt16:
		return binary.BigEndian.AppendUint16(append(b, codeInt16), uint16(int16(x)))
	case x >= math.MinInt32 && x <= math.MaxInt32:
		return binary.BigEndian.AppendUint32(append(b, codeInt32), uint32(int32(x)))
	}
	return binary.BigEndian.AppendUint64(append(b, codeInt64), uint64(x))
}

func encodeList(b []byte, list []any) []byte {
	short := len(list) < fixLists
	if short {
		b = append(b, byte(codeFixList+len(list)))
	} else {
		b = append(b, codeList)
	}
	for _, v := range list {
		b = encode(b, v)
	}
	if !short {
		b = append(b, codeEnd)
	}
	return b
}

func encodeDict(b []byte, dict map[string]any) []byte {
	short := len(dict) < fixDicts
	if short {
		b = append(b, byte(codeFixDict+len(dict)))
	} else {
		b = append(b, codeDict)
	}
	for k, v := range dict {
		b = encode(encode(b, k), v)
	}
	if !short {
		b = append(b, codeEnd)
	}
	return b
}

// decode reads one value. Keys of maps become strings.
func decode(b []byte) (any, error) {
	d := &decoder{rest: b, values: maxInPacket}
	v := d.value(0)
	if d.err != nil {
		return nil, d.err
	}
	return v, nil
}

// decoder reads values one after the other; after a fault it gives nil only.
type decoder struct {
	rest   []byte
	values int // how many more there may be
	err    error
}

func (d *decoder) fail(why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errRencode, why)
	}
	d.rest = nil
}

// take gives the next n bytes, or zeros once there are none.
func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.fail("it is cut short")
		return make([]byte, min(max(n, 0), 8))
	}
	out := d.rest[:n]
	d.rest = d.rest[n:]
	return out
}

// until gives what comes before a byte, and skips it.
func (d *decoder) until(end byte) []byte {
	for i, c := range d.rest[:min(len(d.rest), maxDecimal+1)] {
		if c == end {
			out := d.rest[:i]
			d.rest = d.rest[i+1:]
			return out
		}
	}
	d.fail("a number without end")
	return nil
}

func (d *decoder) value(depth int) any {
	if d.values--; d.values < 0 || depth > maxNesting {
		d.fail("too much in it")
		return nil
	}
	c := d.take(1)[0]
	switch {
	case d.err != nil:
		return nil
	case c >= codeFixDict && c < codeFixDict+fixDicts:
		return d.dict(int(c-codeFixDict), depth)
	case c >= codeFixStr && c < codeFixList:
		return string(d.take(int(c - codeFixStr)))
	case c >= codeFixList:
		return d.list(int(c)-codeFixList, depth)
	case c >= '0' && c <= '9':
		return d.longString(c)
	case c == codeList:
		return d.list(-1, depth)
	case c == codeDict:
		return d.dict(-1, depth)
	}
	return d.scalar(c)
}

// scalar reads a number, or what one code of its own stands for.
func (d *decoder) scalar(c byte) any {
	if c < fixInts {
		return int(c)
	}
	if c >= codeNegInt && c < codeNegInt+fixNegInts {
		return codeNegInt - 1 - int(c)
	}
	be := binary.BigEndian
	switch c {
	case codeNone:
		return nil
	case codeTrue, codeFalse:
		return c == codeTrue
	case codeInt8:
		return int(int8(d.take(1)[0]))
	case codeInt16:
		return int(int16(be.Uint16(d.take(2))))
	case codeInt32:
		return int(int32(be.Uint32(d.take(4))))
	case codeInt64:
		return int(int64(be.Uint64(d.take(8))))
	case codeFloat32:
		return float64(math.Float32frombits(be.Uint32(d.take(4))))
	case codeFloat64:
		return math.Float64frombits(be.Uint64(d.take(8)))
	case codeInt:
		n, err := strconv.Atoi(string(d.until(codeEnd)))
		if err != nil {
			d.fail("no number")
		}
		return n
	}
	d.fail(fmt.Sprintf("code %d", c))
	return nil
}

// longString reads a string whose length is written out, from its first digit on.
func (d *decoder) longString(first byte) any {
	n, err := strconv.Atoi(string(first) + string(d.until(':')))
	if err != nil || n > maxLength {
		d.fail("no length")
		return nil
	}
	return string(d.take(n))
}

// more says whether a list or map of n, or of any number for -1, goes on after i.
func (d *decoder) more(i, n int) bool {
	if d.err != nil {
		return false
	}
	if n >= 0 {
		return i < n
	}
	if len(d.rest) > 0 && d.rest[0] == codeEnd {
		d.take(1)
		return false
	}
	return true
}

func (d *decoder) list(n, depth int) any {
	list := []any{}
	for i := 0; d.more(i, n); i++ {
		list = append(list, d.value(depth+1))
	}
	return list
}

func (d *decoder) dict(n, depth int) any {
	dict := map[string]any{}
	for i := 0; d.more(i, n); i++ {
		k := d.value(depth + 1)
		dict[fmt.Sprint(k)] = d.value(depth + 1)
	}
	return dict
}
