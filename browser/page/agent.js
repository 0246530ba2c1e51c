// Our script in a page. It runs in a world of its own, whose prototypes the
// page cannot touch, and is asked by function name. Nothing is left in the page.
(() => {
  "use strict";
  const squeeze = (s) => s.replace(/\s+/g, " ").trim();
  const short = (s, n) => { const r = Array.from(s); return r.length > n ? r.slice(0, n).join("") : s; };
  const parentOf = (n) => n.assignedSlot || n.parentNode || (n instanceof ShadowRoot ? n.host : null);
  const contains = (outer, inner) => {
    for (let n = inner; n; n = parentOf(n)) if (n === outer) return true;
    return false;
  };
  // element is the element of a node: its document's root for a document.
  const element = (n) => { if (n && n.nodeType === 9) return n.documentElement; while (n && n.nodeType !== 1) n = parentOf(n); return n; };

  const describe = (n) => {
    const e = element(n);
    if (!e) return "something else";
    let s = e.localName;
    if (e.id) s += "#" + short(e.id, 40);
    const role = e.getAttribute("role");
    if (role) s += "[role=" + short(role, 30) + "]";
    const name = e.getAttribute("aria-label") || e.getAttribute("title") || squeeze(e.textContent || "");
    return name ? s + ' "' + short(name, 60) + '"' : s;
  };

  const kindOf = (e) => {
    const tag = e.localName;
    if (tag === "input") return e.type;
    if (tag === "select" || tag === "textarea") return tag;
    if (e.isContentEditable) return "contenteditable";
    return tag;
  };
  const textual = new Set(["text", "search", "url", "tel", "email", "password", "number", "textarea", "contenteditable"]);
  const pickers = new Set(["date", "time", "datetime-local", "month", "week", "color", "range"]);

  const valueOf = (e) => {
    if (e.localName === "select") return Array.from(e.selectedOptions, (o) => squeeze(o.label || o.text)).join(", ");
    if ("value" in e && typeof e.value === "string") return e.value;
    if (e.isContentEditable) return e.innerText;
    return null;
  };

  // What a name of the field is made of, for the rule of secret fields.
  const words = (e) => [e.getAttribute("name"), e.id, e.getAttribute("placeholder"), e.getAttribute("aria-label"),
    ...(e.labels ? Array.from(e.labels, (l) => l.textContent) : [])].filter(Boolean).map((s) => squeeze(s));

  const dangling = (e) => {
    const ids = (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean);
    return ids.length > 0 && !ids.every((id) => e.getRootNode().getElementById(id));
  };

  const editing = () => {
    let a = document.activeElement;
    while (a && a.shadowRoot && a.shadowRoot.activeElement) a = a.shadowRoot.activeElement;
    return a;
  };

  // has tells whether the focus is in an element, also behind a closed root.
  const has = (e) => { const a = e.getRootNode().activeElement; return !!a && contains(e, a); };

  const set = (e, name, v) => {
    const proto = e.localName === "textarea" ? HTMLTextAreaElement : e.localName === "select" ? HTMLSelectElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(proto.prototype, name).set.call(e, v);
  };
  const fire = (e) => {
    e.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertReplacementText" }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // thin says whether an element shows nothing of what is written into it: it
  // takes hardly any place, lies off the document, or is not painted. The page
  // draws elsewhere what comes in there.
  const thin = (e) => {
    const r = e.getBoundingClientRect(), all = document.scrollingElement || document.documentElement;
    if (r.width < 6 || r.height < 6 || innerWidth < 6 || innerHeight < 6) return true;
    if (r.right + scrollX <= 0 || r.bottom + scrollY <= 0) return true;
    if (r.left + scrollX >= Math.max(all.scrollWidth, innerWidth) || r.top + scrollY >= Math.max(all.scrollHeight, innerHeight)) return true;
    if (/^rgba\(.*, 0\)$/.test(getComputedStyle(e).webkitTextFillColor)) return true;
    let opacity = 1;
    for (let n = e; n; n = parentOf(n)) {
      if (n.nodeType !== 1) continue;
      const style = getComputedStyle(n);
      opacity *= parseFloat(style.opacity);
      const clips = style.overflow !== "visible" && style.display !== "inline" && style.display !== "contents";
      if (n !== e && n !== document.body && n !== document.documentElement && clips && (n.clientWidth < 6 || n.clientHeight < 6)) return true;
    }
    return opacity < 0.05;
  };

  let observer = null, changes = 0, found = [], presses = 0, followed = null;
  const press = (e) => { if (e.isTrusted) presses++; };
  const follow = (e) => { if (e.isTrusted && e.composedPath().some((n) => n.nodeType === 1 && n.matches("a[href][download], area[href][download]"))) followed = e; };
  const usable = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],[contenteditable=true],[onclick],' +
    ["button", "link", "textbox", "checkbox", "radio", "switch", "tab", "menuitem", "option", "combobox", "slider"].map((r) => `[role=${r}]`).join();

  return {
    // state is all an act must know of an element before it begins.
    state(e) {
      e = element(e);
      if (!e || !e.isConnected) return { gone: true };
      const style = getComputedStyle(e);
      const kind = kindOf(e);
      const s = {
        tag: e.localName, kind, text: short(squeeze(e.textContent || ""), 100),
        disabled: e.matches(":disabled") || !!e.closest('[aria-disabled="true"]') || !!e.closest("[inert]"),
        hidden: style.visibility !== "visible" || !e.checkVisibility(),
        readonly: !!e.readOnly || e.getAttribute("aria-readonly") === "true",
        textual: textual.has(kind) || (e.localName === "input" && !e.type), picker: pickers.has(kind),
        multiple: !!e.multiple, maxLength: typeof e.maxLength === "number" ? e.maxLength : -1,
        autocomplete: e.getAttribute("autocomplete") || "", words: words(e), dangling: dangling(e),
        focused: e.getRootNode().activeElement === e,
      };
      s.thin = s.textual && thin(e);
      if (kind === "checkbox" || kind === "radio") s.checked = e.checked;
      else if (e.hasAttribute("aria-checked")) s.checked = e.getAttribute("aria-checked") === "true";
      else if (e.hasAttribute("aria-pressed")) s.pressed = e.getAttribute("aria-pressed") === "true";
      if (e.hasAttribute("aria-expanded")) s.expanded = e.getAttribute("aria-expanded") === "true";
      else if (e.localName === "summary" && e.parentElement) s.expanded = !!e.parentElement.open;
      const v = valueOf(e);
      if (v !== null) { s.hasValue = true; s.value = short(v, 10000); s.length = v.length; }
      return s;
    },

    // reveal brings an element into view, at once and by the shortest way.
    reveal(e) {
      e = element(e);
      if (!e || !e.isConnected) return false;
      const r = e.getBoundingClientRect();
      const out = r.bottom <= 1 || r.right <= 1 || r.top >= innerHeight - 1 || r.left >= innerWidth - 1;
      if (out || r.top < 0 || r.bottom > innerHeight || r.left < 0 || r.right > innerWidth || window !== window.top) {
        e.scrollIntoView({ behavior: "instant", block: r.height > innerHeight ? "start" : "center", inline: "nearest" });
      }
      return true;
    },

    // reaches says whether a click that lands on hit is one on e: on a part of
    // it, on its label, or on what its label labels. Otherwise it names the hit.
    reaches(e, hit) {
      e = element(e);
      if (contains(e, hit)) return "";
      const h = element(hit);
      const label = h && h.closest("label");
      if (label && (label.control === e || contains(label, e))) return "";
      if (e.localName === "label" && e.control && h === e.control) return "";
      if (e.localName === "option" && h === e.closest("select")) return "";
      if (e.localName === "area" && h && h.localName === "img") return "";
      // A host paints nothing of its own: a hit in its slot's content is it.
      if (h && e.shadowRoot && contains(e.shadowRoot, h)) return "";
      return describe(hit);
    },

    // watch begins to count changes of the document; changed ends it.
    watch() {
      if (observer) observer.disconnect();
      changes = presses = 0;
      followed = null;
      addEventListener("mousedown", press, true);
      addEventListener("click", follow, true);
      observer = new MutationObserver((list) => { changes += list.length; });
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    },
    changed() {
      if (!observer) return 0;
      changes += observer.takeRecords().length;
      observer.disconnect();
      observer = null;
      removeEventListener("mousedown", press, true);
      removeEventListener("click", follow, true);
      return changes;
    },
    // came says whether a press of the pointer came to the document since, and
    // whether a link was followed that saves what it leads to.
    came() { return { pressed: presses > 0, saves: followed !== null && !followed.defaultPrevented }; },

    // focus puts the caret at the end of a field, or over all of it.
    focus(e, all) {
      e = element(e);
      e.focus({ preventScroll: true });
      if (e.isContentEditable) {
        const range = document.createRange();
        range.selectNodeContents(e);
        if (!all) range.collapse(false);
        const selection = getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
      } else if (all) {
        e.select();
      } else {
        try { e.setSelectionRange(e.value.length, e.value.length); } catch { /* number, email: the caret is at the end */ }
      }
      return has(e);
    },
    focused(e) { return has(element(e)); },
    activeState() {
      const e = editing();
      if (!e || e === document.body || e === document.documentElement || e.localName === "iframe" || e.localName === "frame") return null;
      return this.state(e);
    },
    // labelled is the label that stands for a field which shows nothing itself.
    labelled(e) { e = element(e); return e.labels && e.labels.length ? e.labels[0] : null; },

    // put makes v the value of a field that no keys fill: dates, colours, ranges.
    put(e, v) {
      e.focus({ preventScroll: true });
      const was = e.value;
      set(e, "value", v);
      if (e.value !== was) fire(e);
      return e.value;
    },

    options(e) { return Array.from(e.options, (o) => ({ text: squeeze(o.label || o.text), value: o.value, disabled: o.disabled || !!o.closest("optgroup[disabled]"), selected: o.selected })); },
    choose(e, indexes) {
      e.focus({ preventScroll: true });
      const was = Array.from(e.selectedOptions, (o) => o.index).join();
      if (e.multiple) for (const o of e.options) o.selected = indexes.includes(o.index);
      else set(e, "selectedIndex", indexes[0]);
      if (Array.from(e.selectedOptions, (o) => o.index).join() !== was) fire(e);
    },

    describe(n) { return describe(n); },
    value(e) { return valueOf(element(e)); },
    attribute(e, name) { return element(e).getAttribute(name); },
    text(e) { e = element(e); return (e === document.documentElement ? (document.body ? document.body.innerText : "") : (e.innerText ?? e.textContent)).trim(); },
    // box is where an element lies in its document, once it is in view.
    box(e) { e = element(e); e.scrollIntoView({ behavior: "instant", block: "nearest", inline: "nearest" }); const r = e.getBoundingClientRect(); return { x: r.x + scrollX, y: r.y + scrollY, width: r.width, height: r.height }; },
    root() { return document.documentElement; },
    // rolls says whether a turn of the wheel over an element can move anything.
    rolls(e, x, y) {
      for (let n = element(e) || document.scrollingElement; n; n = parentOf(n)) {
        if (n.nodeType !== 1) continue;
        const w = n.scrollWidth - n.clientWidth - 1, h = n.scrollHeight - n.clientHeight - 1;
        if ((y > 0 && n.scrollTop < h) || (y < 0 && n.scrollTop > 0 && h > 0) || (x > 0 && n.scrollLeft < w) || (x < 0 && n.scrollLeft > 0 && w > 0)) return true;
      }
      return false;
    },
    scrolled(e) { for (let n = element(e); n; n = parentOf(n)) if (n.scrollHeight > n.clientHeight + 1 || n.scrollWidth > n.clientWidth + 1) return [Math.round(n.scrollLeft), Math.round(n.scrollTop)]; return [0, 0]; },
    position() { return [Math.round(scrollX), Math.round(scrollY), innerWidth, innerHeight]; },

    // html is what is shown of an element, shadow trees in their places, without
    // scripts and what is hidden. Values of fields are not in it.
    html(e, raw) {
      e = element(e) || document.documentElement;
      const skip = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe", "object", "embed"]);
      let budget = 2_000_000;
      const clone = (n) => {
        if (budget <= 0) return null;
        if (n.nodeType === 3) { budget -= n.data.length; return document.createTextNode(n.data); }
        if (n.nodeType !== 1) return null;
        if (skip.has(n.localName)) return null;
        if (!raw && n !== e && !n.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false })) return n.localName === "br" || n.localName === "wbr" ? n.cloneNode(false) : null;
        budget -= 20;
        const c = n.cloneNode(false);
        c.removeAttribute("value");
        if (n.localName === "a" && n.href) c.setAttribute("href", n.href);
        if (n.localName === "img") { c.removeAttribute("srcset"); if (n.src.startsWith("data:")) c.removeAttribute("src"); else if (n.src) c.setAttribute("src", n.src); }
        if (n.localName === "textarea") return c;
        const kids = n.shadowRoot ? n.shadowRoot.childNodes : n.localName === "slot" && n.assignedNodes().length ? n.assignedNodes() : n.childNodes;
        for (const k of kids) { const d = clone(k); if (d) c.append(d); }
        return c;
      };
      const c = clone(e);
      return { html: c ? c.outerHTML : "", cut: budget <= 0 };
    },

    // tables are the tables of an element as rows of text.
    tables(e) {
      e = element(e) || document.documentElement;
      const list = e.localName === "table" ? [e] : Array.from(e.querySelectorAll("table"));
      const cell = (c) => squeeze(c.innerText ?? c.textContent);
      return list.slice(0, 50).filter((t) => t.checkVisibility()).map((t) => {
        const rows = Array.from(t.rows);
        let head = t.tHead ? t.tHead.rows[t.tHead.rows.length - 1] : null;
        if (!head && rows.length && Array.from(rows[0].cells).every((c) => c.localName === "th")) head = rows[0];
        return {
          caption: t.caption ? cell(t.caption) : "", head: head ? Array.from(head.cells, cell) : [],
          rows: rows.filter((r) => r !== head && !(t.tHead && r.parentNode === t.tHead)).slice(0, 5000).map((r) => Array.from(r.cells, cell)),
        };
      });
    },

    // says tells whether a text is to be seen in the document.
    count() { return document.getElementsByTagName("*").length; },
    // outline finds what is shown of a large document in its order: controls and
    // the texts between them, those that say want where it is given. outlined
    // gives their elements, the root's first.
    outline(root, most, want) {
      root = element(root) || document.documentElement;
      const nodes = [];
      let more = 0;
      found = [root];
      want = (want || "").toLowerCase();
      const walker = (document.createTreeWalker)(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      const end = Date.now() + 5000;
      for (let n = walker.nextNode(); n; n = walker.nextNode()) {
        const e = n.nodeType === 3 ? n.parentElement : n;
        const control = n.nodeType === 1 && n.matches(usable);
        if (n.nodeType === 1 && !control) continue;
        if (n.nodeType === 3 && (!n.data.trim() || e.closest(usable) || e.closest("script,style,noscript,template"))) continue;
        const text = short(squeeze(n.nodeType === 3 ? n.data : n.textContent || n.getAttribute("aria-label") || n.getAttribute("placeholder") || n.getAttribute("name") || ""), 100);
        if (want && !text.toLowerCase().includes(want)) continue;
        if (nodes.length >= most || Date.now() > end) { more++; continue; }
        if (!e.checkVisibility({ visibilityProperty: true })) continue;
        const r = e.getBoundingClientRect();
        nodes.push({ text, role: n.nodeType === 3 ? "text" : n.localName === "a" ? "link" : n.localName, box: [r.x, r.y, r.width, r.height], more: n.localName === "select" ? n.options.length : 0 });
        found.push(e);
      }
      return { count: this.count(), more, large: true, nodes };
    },
    outlined() { const list = found; found = []; return list; },

    says(text) {
      const want = squeeze(text).toLowerCase();
      const body = document.body;
      if (!body) return false;
      if (squeeze(body.innerText).toLowerCase().includes(want)) return true;
      for (const f of body.querySelectorAll("input, textarea")) if (f.type !== "password" && f.checkVisibility() && (f.value || f.placeholder || "").toLowerCase().includes(want)) return true;
      return document.title.toLowerCase().includes(want);
    },
    // blank says whether the tab never showed anything.
    blank() { return location.href === "about:blank" && history.length <= 1 && (!document.body || document.body.childNodes.length === 0); },
    ready() { return document.readyState; },
    // quiet answers when nothing changed for ms, or after limit.
    quiet(ms, limit) {
      return new Promise((done) => {
        let timer = 0;
        const end = (still) => { o.disconnect(); clearTimeout(timer); clearTimeout(stop); done(still); };
        const again = () => { clearTimeout(timer); timer = setTimeout(() => end(true), ms); };
        const o = new MutationObserver(again);
        const stop = setTimeout(() => end(false), limit);
        o.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        again();
      });
    },
    // painted answers after two frames were drawn, or after half a second.
    painted() {
      return new Promise((done) => {
        const t = setTimeout(done, 500);
        requestAnimationFrame(() => requestAnimationFrame(() => { clearTimeout(t); setTimeout(done, 0); }));
      });
    },
    // frame answers after what an event began has been drawn, or soon when
    // nothing is drawn here, and gives the title.
    frame() {
      return new Promise((done) => {
        const end = () => done(short(document.title, 500));
        const t = setTimeout(end, 25);
        requestAnimationFrame(() => { clearTimeout(t); setTimeout(end, 0); });
      });
    },
  };
})()
