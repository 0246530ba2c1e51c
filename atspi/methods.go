package atspi

import "encoding/binary"

// The methods a flight calls, with the signatures both sides must have.
var (
	getItems     = &method{interfacePrefix + "Cache", "GetItems", "", "a((so)(so)(so)iiassusau)"}
	getChildren  = &method{interfacePrefix + "Accessible", "GetChildren", "", "a(so)"}
	getChild     = &method{interfacePrefix + "Accessible", "GetChildAtIndex", "i", "(so)"}
	getIndex     = &method{interfacePrefix + "Accessible", "GetIndexInParent", "", "i"}
	getRole      = &method{interfacePrefix + "Accessible", "GetRole", "", "u"}
	getState     = &method{interfacePrefix + "Accessible", "GetState", "", "au"}
	getAttrs     = &method{interfacePrefix + "Accessible", "GetAttributes", "", "a{ss}"}
	getIfaces    = &method{interfacePrefix + "Accessible", "GetInterfaces", "", "as"}
	getProperty  = &method{"org.freedesktop.DBus.Properties", "Get", "ss", "v"}
	getAll       = &method{"org.freedesktop.DBus.Properties", "GetAll", "s", "a{sv}"}
	getExtents   = &method{interfacePrefix + "Component", "GetExtents", "u", "(iiii)"}
	getAtPoint   = &method{interfacePrefix + "Component", "GetAccessibleAtPoint", "iiu", "(so)"}
	getName      = &method{interfacePrefix + "Action", "GetName", "i", "s"}
	getText      = &method{interfacePrefix + "Text", "GetText", "ii", "s"}
	getMatches   = &method{interfacePrefix + "Collection", "GetMatches", "(aiia{ss}iaiiasib)uib", "a(so)"}
	getProcessID = &method{busName, "GetConnectionUnixProcessID", "s", "u"}
)

// cachePath is where an application keeps its cache.
const cachePath = "/org/a11y/atspi/cache"

// args are encoded arguments.
func stringArgs(values ...string) []byte {
	var w builder
	for _, s := range values {
		w.string(s)
	}
	return w.b
}

func intArgs(values ...int) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
	}
	return b
}

// The properties a flight reads: each is the arguments of one Get. GetAll takes
// six tenths of three Gets' time, but Qt 5.15 dies of it.
var (
	accessibleArgs  = stringArgs(interfacePrefix + "Accessible")
	nameArgs        = stringArgs(interfacePrefix+"Accessible", "Name")
	descriptionArgs = stringArgs(interfacePrefix+"Accessible", "Description")
	childCountArgs  = stringArgs(interfacePrefix+"Accessible", "ChildCount")
	parentArgs      = stringArgs(interfacePrefix+"Accessible", "Parent")
	toolkitArgs     = stringArgs(interfacePrefix+"Application", "ToolkitName")
	versionArgs     = stringArgs(interfacePrefix+"Application", "Version")
	nActionsArgs    = stringArgs(interfacePrefix+"Action", "NActions")
	charCountArgs   = stringArgs(interfacePrefix+"Text", "CharacterCount")
	currentArgs     = stringArgs(interfacePrefix+"Value", "CurrentValue")
	minimumArgs     = stringArgs(interfacePrefix+"Value", "MinimumValue")
	maximumArgs     = stringArgs(interfacePrefix+"Value", "MaximumValue")
)
