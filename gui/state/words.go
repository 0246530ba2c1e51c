package state

// Word names a text of the app.
type Word int

// The texts. What each says is in words.
const (
	AppName Word = iota
	Windows
	NewWindow
	Home
	Sessions
	SettingsTitle
	SearchApps
	Recent
	AllApps
	NoApps
	Missing
	OpenFor
	OnlyMe
	SessionNamed
	GroupNamed
	HiddenHint
	SharedHint
	Opening
	NoWindows
	NoWindowsHint
	Mine
	Watching
	WatchingHint
	WatchingFreeHint
	InControl
	InControlHint
	InControlLoose
	OtherControl
	OtherControlHint
	HereControl
	HereControlHint
	PausedState
	PausedHint
	EndedState
	StartingState
	NotDrawn
	Connecting
	TakeOver
	HandBack
	HandBackTitle
	NoteLabel
	NotePlaceholder
	HandedTold
	HandedNobody
	Interrupted
	Share
	ShareTitle
	ShareWho
	ShareMode
	ModeAuto
	ModeTree
	ModePixels
	ModeAutoMeans
	ModeTreeMeans
	ModePixelsMeans
	SharedWith
	SharedNobody
	NoSessions
	Revoke
	SizeTitle
	SizeAuto
	SizeOther
	SizeAsk
	PinnedAt
	ShownAt
	More
	CloseWindow
	StopWindow
	EndHold
	StopTitle
	StopMeans
	ClosePane
	Dismiss
	LastWords
	EndedWhy
	HeldBy
	HeldByNobody
	SharedWithN
	OnlyYou
	OpenedBy
	ByTree
	ByPixels
	SessionNew
	SessionNone
	SessionLabel
	SessionCreated
	TokenOnce
	CopyEnv
	CopyMCP
	Copied
	SessionEnd
	SessionEndTitle
	SessionEndMeans
	Holds
	HoldsNothing
	Groups
	GroupNew
	GroupEmpty
	GroupMembers
	GroupRemove
	GroupMeans
	Members
	ThemeTitle
	ThemeSystem
	ThemeLight
	ThemeDark
	ThemeContrast
	Language
	FollowOpen
	FollowMeans
	DaemonTitle
	DaemonVersion
	DaemonSocket
	DaemonConfig
	WayOutTitle
	WayOutMeans
	QuitAll
	QuitAllTitle
	QuitAllNothing
	QuitAllEnds
	QuitStays
	Cancel
	Done
	Create
	Apply
	ClickDid
	TypeDid
	KeyDid
	ScrollDid
	DragDid
	HoverDid
	SetDid
	MenuDid
	OtherDid
	RefusedDid
	AtPoint
	TheFocus
	LastAct
	NoAct
	JustNow
	SecondsAgo
	MinutesAgo
	HoursAgo
	Lapsed
	LapsedIdle
	LapsedAway
	QuestionFrom
	Answer
	AnswerPlaceholder
	NoDaemon
	DaemonEnded
	DaemonEndedHint
	DaemonStart
	TryAgain
	FaultCap
	FaultCapOut
	FaultStart
	FaultGone
	FaultElsewhere
	FaultElsewhereOut
	FaultSize
	FaultTimeout
	FaultOwner
	FaultOwnerOut
	BesideOpen
	SwapPanes
	Forget
	PasteMine
	History
	Before
	After
	ShowIt
	TrayShow
	Full
	FullLeave
	ConfigTitle
	SettingFixed
	SettingLater
	TrayClose
	wordCount
)

// words are the texts in English, Chinese and Japanese.
var words = [wordCount][3]string{
	Forget:            {"Take it off the list", "从列表中移除", "一覧から外す"},
	PasteMine:         {"Paste my clipboard into it", "将我的剪贴板粘贴进去", "自分のクリップボードを貼り付け"},
	History:           {"History", "历史", "履歴"},
	Before:            {"Before", "之前", "前"},
	After:             {"After", "之后", "後"},
	ShowIt:            {"Show it", "显示窗口", "表示する"},
	Full:              {"Full screen", "全屏", "全画面"},
	FullLeave:         {"Leave full screen", "退出全屏", "全画面を終える"},
	TrayShow:          {"Show VibeSpace", "显示 VibeSpace", "VibeSpace を表示"},
	TrayClose:         {"Close this app; the windows stay", "关闭本应用（窗口保留）", "このアプリを閉じる（ウィンドウは残ります）"},
	AppName:           {"VibeSpace", "VibeSpace", "VibeSpace"},
	Windows:           {"Windows", "窗口", "ウィンドウ"},
	NewWindow:         {"Open an application", "打开应用", "アプリを開く"},
	Home:              {"Applications", "应用", "アプリ"},
	Sessions:          {"Agents", "智能体", "エージェント"},
	SettingsTitle:     {"Settings", "设置", "設定"},
	SearchApps:        {"Search applications", "搜索应用", "アプリを検索"},
	Recent:            {"Recent", "最近使用", "最近使ったアプリ"},
	AllApps:           {"All applications", "所有应用", "すべてのアプリ"},
	NoApps:            {"No application is called that.", "没有匹配的应用。", "該当するアプリはありません。"},
	Missing:           {"Not installed: %s", "未安装：%s", "未インストール：%s"},
	OpenFor:           {"Share with", "共享给", "共有先"},
	OnlyMe:            {"Only me", "仅自己", "自分だけ"},
	SessionNamed:      {"Agent %s", "智能体 %s", "エージェント %s"},
	GroupNamed:        {"Group %s", "组 %s", "グループ %s"},
	HiddenHint:        {"Hidden: no agent sees it until you share it.", "隐藏：共享之前，任何智能体都看不到它。", "非表示：共有するまでエージェントには見えません。"},
	SharedHint:        {"%s may see and use it at once.", "%s 可立即查看并使用。", "%s はすぐに閲覧・操作できます。"},
	Opening:           {"Opening %s…", "正在打开 %s…", "%s を開いています…"},
	NoWindows:         {"Nothing is open yet.", "还没有打开任何窗口。", "まだ何も開いていません。"},
	NoWindowsHint:     {"Open an application here, or let an agent open one: it appears by itself.", "在这里打开一个应用，或由智能体打开：它会自动出现。", "ここでアプリを開くか、エージェントが開くと自動的に表示されます。"},
	Mine:              {"Yours", "你的", "あなた"},
	Watching:          {"Watching", "正在观看", "見ています"},
	WatchingHint:      {"The agent drives. Your keys and clicks do not reach this window.", "由智能体控制。你的按键和点击不会进入此窗口。", "エージェントが操作中。あなたのキーやクリックはこのウィンドウに届きません。"},
	WatchingFreeHint:  {"Nobody drives. Take over to use this window.", "无人控制。接管后即可使用此窗口。", "誰も操作していません。操作するには引き取ってください。"},
	InControl:         {"You are in control", "由你控制", "あなたが操作中"},
	InControlHint:     {"Every key goes to this window. %s leaves it.", "所有按键都进入此窗口。按 %s 离开。", "すべてのキーはこのウィンドウに届きます。%s で抜けます。"},
	InControlLoose:    {"You are in control; click the picture to type into it.", "由你控制；点击画面后可输入。", "あなたが操作中です。画面をクリックすると入力できます。"},
	OtherControl:      {"In control elsewhere", "正由别处控制", "別の画面で操作中"},
	OtherControlHint:  {"You drive this window from another viewer since %s. Hand it back there first.", "自 %s 起由另一个查看器控制。请先在那里交还。", "%s から別のビューアで操作中です。先にそちらで返してください。"},
	HereControl:       {"On your desktop", "在你的桌面上", "デスクトップで操作中"},
	HereControlHint:   {"You drive this window on your desktop since %s. Hand it back here when you are done.", "自 %s 起你在桌面上控制此窗口。完成后请在这里交还。", "%s からデスクトップで操作中です。終わったらここで返してください。"},
	PausedState:       {"Paused", "已暂停", "一時停止"},
	PausedHint:        {"The agent waits, and nobody drives. Take over to go on, or hand it back.", "智能体正在等待，无人控制。接管以继续，或交还。", "エージェントは待機中で、誰も操作していません。引き取って続けるか、返してください。"},
	EndedState:        {"Ended", "已结束", "終了"},
	StartingState:     {"Starting", "正在启动", "起動中"},
	NotDrawn:          {"Nothing is drawn now: the window is minimised or not there yet.", "当前没有画面：窗口已最小化或尚未出现。", "現在何も描かれていません。最小化中か、まだ表示されていません。"},
	Connecting:        {"Connecting…", "正在连接…", "接続しています…"},
	TakeOver:          {"Take over", "接管", "引き取る"},
	HandBack:          {"Hand back", "交还", "返す"},
	HandBackTitle:     {"Hand %s back", "交还 %s", "%s を返す"},
	NoteLabel:         {"What should the agent know? (optional)", "需要让智能体知道什么？（可选）", "エージェントに伝えること（任意）"},
	NotePlaceholder:   {"I signed in; go on with the form.", "我已登录；请继续填写表单。", "ログインしました。フォームの続きをどうぞ。"},
	HandedTold:        {"%s is told with its next command.", "%s 将在下一条命令时收到通知。", "%s は次のコマンドで通知を受けます。"},
	HandedNobody:      {"Handed back. Nobody holds it.", "已交还。目前无人持有。", "返しました。保持者はいません。"},
	Interrupted:       {"Interrupted: %s", "已中断：%s", "中断：%s"},
	Share:             {"Share", "共享", "共有"},
	ShareTitle:        {"Share %s", "共享 %s", "%s を共有"},
	ShareWho:          {"Who", "对象", "相手"},
	ShareMode:         {"How", "方式", "方法"},
	ModeAuto:          {"Automatic", "自动", "自動"},
	ModeTree:          {"By its elements", "按界面元素", "要素で"},
	ModePixels:        {"By its picture", "按画面", "画像で"},
	ModeAutoMeans:     {"%s reads and uses the window by its elements, or by its picture where there are none.", "%s 按界面元素读取和操作窗口；没有元素时按画面操作。", "%s は要素で読み書きし、要素がなければ画像で操作します。"},
	ModeTreeMeans:     {"%s reads the elements of the window and uses them by name.", "%s 读取窗口的界面元素并按名称操作。", "%s はウィンドウの要素を読み、名前で操作します。"},
	ModePixelsMeans:   {"%s sees the picture of the window and uses keys and the pointer; it reads no elements.", "%s 只看到窗口画面，使用按键和指针；不读取元素。", "%s は画像を見て、キーとポインターで操作します。要素は読みません。"},
	SharedWith:        {"Shared with", "已共享给", "共有中"},
	SharedNobody:      {"Nobody: only you see this window.", "无人：只有你能看到此窗口。", "共有なし：あなただけに見えます。"},
	NoSessions:        {"There is no agent yet. Make one under Agents.", "还没有智能体。请在“智能体”中新建。", "エージェントがまだありません。「エージェント」で作成してください。"},
	Revoke:            {"Take back", "收回", "取り消す"},
	SizeTitle:         {"Size", "尺寸", "サイズ"},
	SizeAuto:          {"As it likes", "自动", "自動"},
	SizeOther:         {"Other…", "其他…", "その他…"},
	SizeAsk:           {"Width × height, in pixels", "宽 × 高（像素）", "幅 × 高さ（ピクセル）"},
	PinnedAt:          {"%s, pinned", "%s，已固定", "%s（固定）"},
	ShownAt:           {"%s, shown at %d %%", "%s，显示比例 %d %%", "%s（表示 %d %%）"},
	More:              {"More", "更多", "その他"},
	CloseWindow:       {"Ask it to close", "请求关闭", "閉じるよう求める"},
	StopWindow:        {"End it now", "立即结束", "今すぐ終了"},
	EndHold:           {"End the agent's hold", "结束智能体的持有", "エージェントの保持を終える"},
	StopTitle:         {"End %s?", "结束 %s？", "%s を終了しますか？"},
	StopMeans:         {"The application and everything it started end at once. What is not saved is lost.", "应用及其启动的所有进程将立即结束。未保存的内容会丢失。", "アプリと、それが起動したものはすべて直ちに終了します。未保存の内容は失われます。"},
	ClosePane:         {"Close this view", "关闭此视图", "この表示を閉じる"},
	Dismiss:           {"Dismiss", "知道了", "閉じる"},
	LastWords:         {"Its last words", "最后的输出", "最後の出力"},
	EndedWhy:          {"%s ended: %s", "%s 已结束：%s", "%s は終了しました：%s"},
	HeldBy:            {"%s holds it", "由 %s 持有", "%s が保持"},
	HeldByNobody:      {"nobody holds it", "无人持有", "保持者なし"},
	SharedWithN:       {"shared with %d", "已共享给 %d 个", "%d 件と共有"},
	OnlyYou:           {"only you see it", "只有你能看到", "あなただけに表示"},
	OpenedBy:          {"opened by %s", "由 %s 打开", "%s が開始"},
	ByTree:            {"by elements", "按元素", "要素"},
	ByPixels:          {"by picture", "按画面", "画像"},
	SessionNew:        {"New agent", "新建智能体", "新しいエージェント"},
	SessionNone:       {"An agent gets a name and a token here; with them it reaches the windows you share.", "在此为智能体设置名称和令牌；凭此它可访问你共享的窗口。", "ここでエージェントに名前とトークンを付けます。それで共有したウィンドウに届きます。"},
	SessionLabel:      {"Name", "名称", "名前"},
	SessionCreated:    {"Agent %s is made", "已创建智能体 %s", "エージェント %s を作成しました"},
	TokenOnce:         {"Its token is shown this once. Copy what your agent takes.", "令牌只显示这一次。请复制智能体所需的内容。", "トークンは今回だけ表示されます。必要なものをコピーしてください。"},
	CopyEnv:           {"Copy environment", "复制环境变量", "環境変数をコピー"},
	CopyMCP:           {"Copy MCP configuration", "复制 MCP 配置", "MCP 設定をコピー"},
	Copied:            {"Copied", "已复制", "コピーしました"},
	SessionEnd:        {"End", "结束", "終了"},
	SessionEndTitle:   {"End agent %s?", "结束智能体 %s？", "エージェント %s を終了しますか？"},
	SessionEndMeans:   {"Its token is no good any more; its holds and shares end, and the windows it opened itself.", "其令牌将失效；其持有、共享以及它自己打开的窗口都会结束。", "トークンは無効になり、保持と共有、自身が開いたウィンドウも終了します。"},
	Holds:             {"holds %s", "持有 %s", "%s を保持"},
	HoldsNothing:      {"holds nothing", "未持有窗口", "保持なし"},
	Groups:            {"Groups", "组", "グループ"},
	GroupNew:          {"New group", "新建组", "新しいグループ"},
	GroupEmpty:        {"nobody", "无成员", "メンバーなし"},
	GroupMembers:      {"Members of %s", "%s 的成员", "%s のメンバー"},
	GroupRemove:       {"Remove group", "删除组", "グループを削除"},
	GroupMeans:        {"A window shared with a group is shared with all of its members.", "与组共享的窗口会共享给其所有成员。", "グループと共有したウィンドウは全メンバーと共有されます。"},
	Members:           {"Members", "成员", "メンバー"},
	ThemeTitle:        {"Appearance", "外观", "外観"},
	ThemeSystem:       {"As the desktop", "跟随系统", "システムに合わせる"},
	ThemeLight:        {"Light", "浅色", "ライト"},
	ThemeDark:         {"Dark", "深色", "ダーク"},
	ThemeContrast:     {"High contrast", "高对比度", "ハイコントラスト"},
	Language:          {"Language", "语言", "言語"},
	FollowOpen:        {"Show windows that agents open", "显示智能体打开的窗口", "エージェントが開いたウィンドウを表示"},
	FollowMeans:       {"They appear beside that agent's other windows.", "它们会出现在该智能体的其他窗口旁。", "そのエージェントの他のウィンドウの隣に現れます。"},
	DaemonTitle:       {"Daemon", "后台服务", "デーモン"},
	DaemonVersion:     {"Version %s, process %d", "版本 %s，进程 %d", "バージョン %s、プロセス %d"},
	DaemonSocket:      {"Socket %s", "套接字 %s", "ソケット %s"},
	DaemonConfig:      {"They are kept in %s, and count from the next start of the daemon.", "保存在 %s 中，后台服务下次启动时生效。", "%s に保存され、デーモンの次回起動から有効です。"},
	ConfigTitle:       {"Limits and times", "限制与时间", "上限と時間"},
	SettingFixed:      {"It is set by %s, which goes over the file: change it there.", "由 %s 设置，优先于文件：请在那里更改。", "%s で設定されており、ファイルより優先されます。そちらで変更してください。"},
	SettingLater:      {"Saved. Until the daemon is started anew it goes on with %s.", "已保存。后台服务重新启动前仍使用 %s。", "保存しました。デーモンを再起動するまでは %s のままです。"},
	WayOutTitle:       {"Leaving a window you drive", "离开你控制的窗口", "操作中のウィンドウを抜ける"},
	WayOutMeans:       {"%s gives the keyboard back to this app and goes to the Hand back button. Everything else you press goes to the window.", "%s 会将键盘交还给本应用并跳到“交还”按钮。其他按键都会进入窗口。", "%s でキーボードがこのアプリに戻り、「返す」ボタンに移ります。他のキーはすべてウィンドウに届きます。"},
	QuitAll:           {"Quit everything", "全部退出", "すべて終了"},
	QuitAllTitle:      {"Quit everything?", "全部退出？", "すべて終了しますか？"},
	QuitAllNothing:    {"No window is open. The daemon ends, and with it the agents' connections to it.", "没有打开的窗口。后台服务将结束，智能体与它的连接也会断开。", "開いているウィンドウはありません。デーモンと、エージェントからの接続が終了します。"},
	QuitAllEnds:       {"The daemon ends, and with it these windows, whoever uses them:", "后台服务将结束，以下窗口也会随之结束，无论谁在使用：", "デーモンと、次のウィンドウが（使用中でも）終了します："},
	QuitStays:         {"Closing this app alone leaves all of them running.", "仅关闭本应用，它们会继续运行。", "このアプリだけを閉じれば、すべて動き続けます。"},
	Cancel:            {"Cancel", "取消", "キャンセル"},
	Done:              {"Done", "完成", "完了"},
	Create:            {"Create", "创建", "作成"},
	Apply:             {"Apply", "应用", "適用"},
	ClickDid:          {"clicked %s", "点击了 %s", "%s をクリック"},
	TypeDid:           {"typed into %s", "在 %s 中输入", "%s に入力"},
	KeyDid:            {"pressed keys", "按下按键", "キーを押下"},
	ScrollDid:         {"scrolled", "滚动", "スクロール"},
	DragDid:           {"dragged", "拖动", "ドラッグ"},
	HoverDid:          {"moved the pointer", "移动指针", "ポインターを移動"},
	SetDid:            {"set %s", "设置了 %s", "%s を設定"},
	MenuDid:           {"chose %s", "选择了 %s", "%s を選択"},
	OtherDid:          {"did %s", "执行了 %s", "%s を実行"},
	RefusedDid:        {"was refused: %s", "被拒绝：%s", "拒否されました：%s"},
	AtPoint:           {"a point", "某一点", "一点"},
	TheFocus:          {"the focused field", "焦点字段", "フォーカス中の欄"},
	LastAct:           {"%s %s, %s", "%s %s，%s", "%s：%s、%s"},
	NoAct:             {"No act yet since you started watching.", "自你开始查看以来尚无操作。", "見始めてから操作はまだありません。"},
	JustNow:           {"just now", "刚刚", "たった今"},
	SecondsAgo:        {"%d s ago", "%d 秒前", "%d 秒前"},
	MinutesAgo:        {"%d min ago", "%d 分钟前", "%d 分前"},
	HoursAgo:          {"%d h ago", "%d 小时前", "%d 時間前"},
	Lapsed:            {"Your takeover of %s ended by itself: %s", "你对 %s 的接管已自动结束：%s", "%s の引き取りは自動的に終わりました：%s"},
	LapsedIdle:        {"nobody did anything in it for a while", "有一段时间没有任何操作", "しばらく操作がありませんでした"},
	LapsedAway:        {"the viewer that drove it went away", "控制它的窗口已离开", "操作していた画面がなくなりました"},
	QuestionFrom:      {"%s asks about %s", "%s 询问关于 %s 的问题", "%s が %s について質問"},
	Answer:            {"Answer", "回答", "回答"},
	AnswerPlaceholder: {"Your answer", "你的回答", "回答を入力"},
	DaemonEnded:       {"The daemon was ended.", "后台服务已结束。", "デーモンは終了しました。"},
	DaemonEndedHint:   {"No agent and no window can be reached until it runs again.", "在它重新运行之前，无法访问任何智能体或窗口。", "再び動くまで、エージェントにもウィンドウにも届きません。"},
	DaemonStart:       {"Start", "启动", "開始"},
	NoDaemon:          {"The VibeSpace daemon does not answer.", "VibeSpace 后台服务没有响应。", "VibeSpace デーモンが応答しません。"},
	TryAgain:          {"Try again", "重试", "再試行"},
	FaultCap:          {"As many windows are open as are allowed.", "打开的窗口已达上限。", "開けるウィンドウの上限に達しています。"},
	FaultCapOut:       {"End one that is not needed, then open this one again.", "请结束一个不需要的窗口，然后重试。", "不要なものを終了してから、もう一度開いてください。"},
	FaultStart:        {"%s could not be started.", "%s 无法启动。", "%s を起動できませんでした。"},
	FaultGone:         {"That window is not there any more.", "该窗口已不存在。", "そのウィンドウはもうありません。"},
	FaultElsewhere:    {"Another viewer drives this window.", "另一个查看器正在控制此窗口。", "別のビューアがこのウィンドウを操作中です。"},
	FaultElsewhereOut: {"Hand it back there first.", "请先在那里交还。", "先にそちらで返してください。"},
	FaultSize:         {"The window will not have that size.", "窗口不接受该尺寸。", "ウィンドウはそのサイズになりません。"},
	FaultTimeout:      {"It took too long and was stopped.", "耗时过长，已停止。", "時間がかかりすぎたため中止しました。"},
	FaultOwner:        {"The daemon does not know this app as yours.", "后台服务无法确认本应用属于你。", "デーモンがこのアプリをあなたのものと認識しません。"},
	FaultOwnerOut:     {"Start the app as the user whose daemon it is.", "请以后台服务所属用户启动本应用。", "デーモンの所有ユーザーで起動してください。"},
	BesideOpen:        {"Show beside", "并排显示", "隣に表示"},
	SwapPanes:         {"Swap sides", "交换左右", "左右を入れ替え"},
}
