package state

import (
	"context"

	"vibespace/internal/api"
)

// Configuration lists the settings of the daemon that are a person's, and the
// file they are kept in.
func (d *Desk) Configuration(ctx context.Context) (file string, list []api.Setting, err error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.Config(bounded, api.ConfigRequest{})
	for _, s := range a.Settings {
		if s.Personal {
			list = append(list, s)
		}
	}
	return a.File, list, err
}

// Configure changes one; the daemon says what is wrong with a value that is
// none.
func (d *Desk) Configure(ctx context.Context, key, value string) (api.Setting, error) {
	bounded, cancel := within(ctx)
	defer cancel()
	a, err := d.c.ConfigSet(bounded, api.ConfigSetRequest{Key: key, Value: value})
	return a.Setting, err
}

// Switch says whether a setting is on or off, and which.
func Switch(s api.Setting) (on, is bool) {
	switch s.Value {
	case "true", "yes", "on", "1":
		on = true
	}
	return on, s.Default == "true" || s.Default == "false"
}

// SettingState says in a sentence what is out of the ordinary about a setting:
// that it stands elsewhere, or counts only later; "" for nothing.
func SettingState(l Lang, s api.Setting) string {
	switch {
	case s.Fixed:
		return l.Say(SettingFixed, s.From)
	case s.Running != s.Value:
		return l.Say(SettingLater, s.Running)
	}
	return ""
}

// SettingName says what a setting does.
func SettingName(l Lang, s api.Setting) string {
	if w, ok := settingWords[s.Key]; ok {
		return w[at(l)]
	}
	return s.Doc
}

// settingWords are what the settings do, in English, Chinese and Japanese.
var settingWords = map[string][3]string{
	"takeover.idle":         {"Hand a window back after so long without input of yours", "你多久没有输入后交还窗口", "入力がないまま、この時間でウィンドウを返す"},
	"takeover.away":         {"Hand it back when this app has been gone for so long", "本应用离开多久后交还窗口", "このアプリがない状態が続いたら返すまでの時間"},
	"sessions.grace":        {"How long an ended agent's own windows stay open", "智能体结束后，其窗口保留多久", "終了したエージェントのウィンドウを残す時間"},
	"sessions.requireToken": {"Refuse agents that have no token", "拒绝没有令牌的智能体", "トークンのないエージェントを拒否"},
	"lease.lapse":           {"Free a window that its agent has not used for so long", "智能体多久未使用窗口后释放", "エージェントが使わないウィンドウを解放するまでの時間"},
	"injection":             {"Agents may use keys and the pointer", "智能体可使用按键和指针", "エージェントにキーとポインターを許可"},
	"trace.pictures":        {"Keep pictures of what agents did, 7 days at most", "保留智能体操作的截图，最多 7 天", "エージェントの操作の画像を残す（最長 7 日）"},
	"displays.max":          {"How many applications may be open at once", "最多同时打开多少个应用", "同時に開けるアプリの数"},
	"displays.screen":       {"The largest size a window can have", "窗口的最大尺寸", "ウィンドウの最大サイズ"},
	"browsers.max":          {"How many browsers may run at once", "最多同时运行多少个浏览器", "同時に動かせるブラウザの数"},
	"browsers.idle":         {"Stop a browser that nobody has used for so long", "浏览器多久未使用后停止", "使われないブラウザを止めるまでの時間"},
	"browsers.headless":     {"Start agents' browsers without a window", "智能体的浏览器不显示窗口", "エージェントのブラウザをウィンドウなしで起動"},
	"browsers.eval":         {"Agents may run scripts of theirs in pages", "智能体可在网页中运行脚本", "エージェントがページでスクリプトを実行できる"},
	"audit.keep":            {"How many lines of the record of acts are kept", "操作记录保留多少行", "操作記録を残す行数"},
	"audit.age":             {"How long they are kept", "操作记录保留多久", "操作記録を残す期間"},
}
