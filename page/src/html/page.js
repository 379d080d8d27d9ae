"use strict";
// Lights up what belongs together, moves by keys, and draws the timeline. Without it everything is still there to be read.
(() => {
  const all = (what, from = document) => Array.from(from.querySelectorAll(what));
  const panels = all(".panel[id]");
  const byLine = new Map();
  for (const row of all("tr[data-l]")) {
    const key = row.dataset.l;
    if (!byLine.has(key)) byLine.set(key, []);
    byLine.get(key).push(row);
  }
  const arrows = all(".arrows g").map((g) => [g, g.dataset.rows.split(" ")]);
  const rowsOf = (panel) => all("tbody tr", panel).filter((r) => !r.classList.contains("label"));
  const panelOf = (row) => row.closest(".panel");
  let lit = [], at = null, kept = false;

  const show = (row, smooth) => {
    const box = row.closest(".scroll");
    if (!box) return;
    const top = row.offsetTop, head = 56;
    if (top < box.scrollTop + head || top + 24 > box.scrollTop + box.clientHeight)
      box.scrollTo({ top: top - box.clientHeight / 2, behavior: smooth ? "smooth" : "auto" });
  };
  const light = (row) => {
    for (const r of lit) r.classList.remove("on");
    lit = row ? (row.dataset.l ? byLine.get(row.dataset.l) : [row]) : [];
    for (const r of lit) r.classList.add("on");
    for (const [g, rows] of arrows) g.classList.toggle("on", !!row && rows.includes(row.id));
  };
  const others = (row) => {
    for (const panel of panels) {
      if (panel === panelOf(row) || panel.hidden) continue;
      const first = lit.find((r) => panelOf(r) === panel);
      if (first) show(first, true);
    }
  };
  const go = (row, follow = true) => {
    if (!row) return;
    at?.classList.remove("at");
    at = row;
    at.classList.add("at");
    kept = true;
    light(row);
    show(row);
    if (follow) others(row);
    const box = row.closest(".scroll");
    row.id ||= "r" + Math.floor(performance.now() * 1000);
    box.setAttribute("aria-activedescendant", row.id);
    if (!box.contains(document.activeElement) && document.activeElement !== box) box.focus({ preventScroll: true });
    else box.focus({ preventScroll: true });
  };

  for (const panel of panels) {
    panel.addEventListener("mouseover", (e) => {
      const row = e.target.closest("tbody tr");
      if (row && !kept) light(row);
    });
    panel.addEventListener("mouseleave", () => { if (!kept) light(null); });
    panel.addEventListener("click", (e) => {
      const link = e.target.closest("a[href^='#']");
      const row = e.target.closest("tbody tr");
      if (link) {
        e.preventDefault();
        const to = document.getElementById(link.getAttribute("href").slice(1));
        if (to) { reveal(panelOf(to)); go(to, false); }
      } else if (row && !row.classList.contains("label")) go(row);
    });
  }

  const buttons = all("[data-panel]");
  const reveal = (panel, on = true) => {
    if (!panel) return;
    panel.hidden = !on;
    buttons.find((b) => b.dataset.panel === panel.id)?.setAttribute("aria-pressed", String(on));
  };
  for (const b of buttons) b.addEventListener("click", () => {
    const panel = document.getElementById(b.dataset.panel);
    reveal(panel, panel.hidden);
  });
  const help = document.getElementById("help");
  document.getElementById("keys")?.addEventListener("click", () => help?.showModal());

  const move = (by) => {
    const focused = document.activeElement?.closest?.(".panel");
    const panel = at && !panelOf(at).hidden ? panelOf(at) : focused ?? panels.find((p) => !p.hidden);
    const rows = rowsOf(panel), n = at ? rows.indexOf(at) : -1;
    go(rows[Math.max(0, Math.min(rows.length - 1, n + by))]);
  };
  const across = (by) => {
    if (!at) return move(1);
    const shown = panels.filter((p) => !p.hidden);
    const next = shown[shown.indexOf(panelOf(at)) + by];
    const row = next && (lit.find((r) => panelOf(r) === next) ?? null);
    if (row) go(row, false);
  };
  const heat = (row) => parseFloat(row.querySelector(".h")?.style.getPropertyValue("--h") || "0");
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || help?.open) return;
    const code = document.getElementById("code");
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    const does = {
      ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1),
      PageDown: () => move(25), PageUp: () => move(-25),
      ArrowRight: () => across(1), ArrowLeft: () => across(-1),
      Enter: () => { const to = at?.dataset.to && document.getElementById(at.dataset.to); to ? go(to) : at && others(at); },
      Escape: () => { kept = false; at?.classList.remove("at"); at = null; light(null); },
      p: () => go(code?.querySelector(".peak")?.closest("tr")),
      h: () => go(code && rowsOf(code).reduce((a, b) => (heat(b) > heat(a) ? b : a))),
      "?": () => help?.showModal(),
    };
    if (document.activeElement?.id === "timeline" && key.startsWith("Arrow")) return;
    const number = parseInt(key, 10);
    if (number >= 1 && number <= buttons.length) buttons[number - 1].click();
    else if (does[key] && !(document.activeElement instanceof HTMLButtonElement && key === "Enter")) does[key]();
    else return;
    e.preventDefault();
  });

  // The timeline: a band for each SIMD, a line for each slot that was used; or, of very many waves, how many there were.
  const box = document.getElementById("timeline");
  if (!box) return;
  const data = JSON.parse(document.getElementById("waves").textContent);
  const canvas = box.querySelector("canvas"), told = box.querySelector("output");
  const left = 58, thick = 4, gap = 5;
  const used = new Map(data.simds.map((s) => [s, 1]));
  for (const s of data.spans ?? []) used.set(s[0], Math.max(used.get(s[0]), s[1] + 1));
  const tops = new Map();
  let height = 18;
  for (const s of data.simds) {
    tops.set(s, height);
    height += (data.spans ? used.get(s) * thick : 12) + gap;
  }
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const draw = () => {
    const wide = box.clientWidth, ratio = devicePixelRatio || 1;
    canvas.width = wide * ratio;
    canvas.height = height * ratio;
    canvas.style.height = height + "px";
    const c = canvas.getContext("2d");
    c.scale(ratio, ratio);
    c.font = "11px system-ui, sans-serif";
    const x = (cycle) => left + (cycle / Math.max(1, data.cycles)) * (wide - left - 8);
    const [soft, line, good, loop] = ["--soft", "--line", "--good", "--loop"].map(colour);
    c.fillStyle = soft;
    c.textAlign = "center";
    let step = 10 ** Math.floor(Math.log10(Math.max(1, data.cycles / 4)));
    if (data.cycles / step > 10) step *= 2.5;
    for (let t = 0; t <= data.cycles; t += step) {
      c.strokeStyle = line;
      c.beginPath(); c.moveTo(x(t), 16); c.lineTo(x(t), height); c.stroke();
      if (x(t) < wide - 30) c.fillText(Math.round(t).toLocaleString("en").replaceAll(",", "\u202f"), x(t), 11);
    }
    c.textAlign = "right";
    for (const s of data.simds) c.fillText("SIMD " + s, left - 8, tops.get(s) + 8);
    for (const [simd, slot, group, , begin, end] of data.spans ?? []) {
      c.fillStyle = group % 2 ? good : loop;
      c.globalAlpha = 0.8;
      c.fillRect(x(begin), tops.get(simd) + slot * thick, Math.max(1, x(end) - x(begin) - 0.5), thick - 1);
    }
    (data.bins ?? []).forEach((bins, n) => bins.forEach((waves, b) => {
      c.fillStyle = good;
      c.globalAlpha = Math.min(1, waves / 100 / data.slots);
      const each = (wide - left - 8) / bins.length;
      c.fillRect(left + b * each, tops.get(data.simds[n]), each + 0.5, 12);
    }));
    c.globalAlpha = 1;
    return x;
  };
  let x = draw();
  addEventListener("resize", () => { x = draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { x = draw(); });
  canvas.addEventListener("mousemove", (e) => {
    const rect = canvas.getBoundingClientRect(), px = e.clientX - rect.left, py = e.clientY - rect.top;
    const hit = (data.spans ?? []).find(([simd, slot, , , begin, end]) => {
      const top = tops.get(simd) + slot * thick;
      return py >= top && py < top + thick && px >= x(begin) && px <= Math.max(x(end), x(begin) + 2);
    });
    told.textContent = hit
      ? `SIMD ${hit[0]}, slot ${hit[1]}: wave ${hit[3]} of work-group ${hit[2]}, cycles ${hit[4]} to ${hit[5]}`
      : "";
  });
})();
