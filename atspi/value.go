package atspi

import (
	"context"
	"fmt"
	"math"
)

const valueIface = interfacePrefix + "Value"

// Value reads a node's number and its bounds. A bound the object does not give
// is taken as equal to the value; what is no number is 0.
func (c *Conn) Value(ctx context.Context, ref Ref) (Value, error) {
	var v Value
	if err := c.askProperty(ctx, ref, valueIface, "CurrentValue", &v.Now); err != nil {
		return Value{}, fmt.Errorf("value: %w", err)
	}
	v.Now = finite(v.Now)
	v.Min, v.Max = v.Now, v.Now
	for name, bound := range map[string]*float64{"MinimumValue": &v.Min, "MaximumValue": &v.Max} {
		read := *bound
		err := c.askProperty(ctx, ref, valueIface, name, &read)
		if err != nil && !missing(err) {
			return Value{}, fmt.Errorf("bounds of the value: %w", err)
		}
		if err == nil {
			*bound = finite(read)
		}
	}
	return v, nil
}

// SetValue gives a node a number. Toolkits clamp, round to a step or ignore
// it; [Conn.Value] says what it became.
func (c *Conn) SetValue(ctx context.Context, ref Ref, value float64) error {
	if err := lacking(c.setProperty(ctx, ref, valueIface, "CurrentValue", value)); err != nil {
		return fmt.Errorf("set value %g: %w", value, err)
	}
	return nil
}

// finite makes a stranger's number one that can be printed and compared.
func finite(v float64) float64 {
	switch {
	case math.IsNaN(v):
		return 0
	case math.IsInf(v, 1):
		return math.MaxFloat64
	case math.IsInf(v, -1):
		return -math.MaxFloat64
	}
	return v
}
