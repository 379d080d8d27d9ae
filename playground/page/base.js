// Small things that all parts use.
"use strict";
const W = {};

W.$ = (id) => document.getElementById(id);

/** An element: tag, attributes, children. */
W.el = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
};

W.escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

W.count = (n) => Number(n).toLocaleString("en-US");

W.percent = (part, whole) => {
  if (!whole) return "";
  const share = (100 * part) / whole;
  return share < 0.05 ? "" : share.toFixed(1) + " %";
};

/** Calls the last of many calls, after a pause. */
W.later = (milliseconds, call) => {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
};

/** How a dword is printed. */
W.forms = {
  hex: (w) => w.toString(16).padStart(8, "0"),
  u32: (w) => String(w >>> 0),
  i32: (w) => String(w | 0),
  f32: (() => {
    const view = new DataView(new ArrayBuffer(4));
    return (w) => {
      view.setUint32(0, w);
      const f = view.getFloat32(0);
      if (!Number.isFinite(f) || f === 0) return String(f);
      const size = Math.abs(f);
      // Next to always a whole number in a register that has floats elsewhere.
      if (size < 1.1754944e-38) return "0x" + w.toString(16);
      return size >= 1e6 || size < 1e-4 ? f.toExponential(3) : String(Number(f.toPrecision(6)));
    };
  })(),
};

/** Buttons of which one is chosen: arrows go around. */
W.segments = (element, chosen) => {
  const buttons = [...element.querySelectorAll("button")];
  const choose = (button, tell) => {
    for (const b of buttons) {
      b.setAttribute("aria-checked", String(b === button));
      b.tabIndex = b === button ? 0 : -1;
    }
    if (tell) chosen(button.dataset.value);
  };
  element.addEventListener("click", (e) => {
    const button = e.target.closest("button");
    if (button && !button.disabled) choose(button, true);
  });
  element.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const can = buttons.filter((b) => !b.disabled);
    const next = can[(can.indexOf(document.activeElement) + step + can.length) % can.length];
    next.focus();
    choose(next, true);
  });
  return {
    set: (value) => choose(buttons.find((b) => b.dataset.value === String(value)) ?? buttons[0], false),
    allow: (values) => buttons.forEach((b) => (b.disabled = !values.includes(b.dataset.value))),
  };
};

/** Tabs and their panels. */
W.tabs = (list) => {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const show = (tab) => {
    for (const t of tabs) {
      const on = t === tab;
      t.setAttribute("aria-selected", String(on));
      t.tabIndex = on ? 0 : -1;
      W.$(t.getAttribute("aria-controls")).hidden = !on;
    }
  };
  list.addEventListener("click", (e) => {
    const tab = e.target.closest("[role=tab]");
    if (tab) show(tab);
  });
  list.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    const at = tabs.indexOf(document.activeElement);
    if (!step || at < 0) return;
    const next = tabs[(at + step + tabs.length) % tabs.length];
    next.focus();
    show(next);
  });
  return (id) => show(W.$("tab-" + id));
};

/** Bytes and text. */
W.toBase64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
};
W.fromBase64 = (text) => {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let n = 0; n < bytes.length; n++) bytes[n] = characters.charCodeAt(n);
  return bytes;
};

W.through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** A value as a word of a URL, and back. */
W.pack = async (value) => {
  const small = await W.through(new TextEncoder().encode(JSON.stringify(value)), new CompressionStream("deflate-raw"));
  return W.toBase64(small).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
W.unpack = async (word) => {
  const small = W.fromBase64(word.replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(await W.through(small, new DecompressionStream("deflate-raw"))));
};
