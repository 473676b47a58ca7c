// Installed before anything of the page: what was ever on screen, at each mutation.
window.seen = { rows: {}, states: {}, moves: [], said: [], breaches: [], shifts: [], texts: [] };
document.addEventListener("securitypolicyviolation", (e) => seen.breaches.push(e.violatedDirective));
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shifts.push(...entry.sources.map((source) => source.node?.outerHTML?.slice(0, 80) ?? JSON.stringify([source.node?.nodeName, source.previousRect, source.currentRect])));
}).observe({ type: "layout-shift", buffered: true });

document.addEventListener("htmx:sse:after:connection", () => {
  document.documentElement.setAttribute("data-connected", "");
});

const push = (list, value) => { if (list[list.length - 1] !== value) list.push(value); };
const places = new Map();

function look() {
  for (const call of document.querySelectorAll("[data-call]")) {
    const id = call.dataset.call, top = call.getBoundingClientRect();
    push((seen.states[id] ??= []), call.dataset.state + " | " + call.querySelector("h3").innerText);
    for (const row of call.querySelectorAll("[data-field]")) {
      const box = row.getBoundingClientRect();
      if (!box.height) continue;
      // A result may have a field of the same name as an argument.
      const key = id + (row.closest(".outcome") ? " result " : " ") + row.dataset.field, at = box.top - top.top;
      push((seen.rows[key] ??= []), row.querySelector("[data-value]").textContent);
      if (places.has(key) && Math.abs(places.get(key) - at) > 0.5) seen.moves.push([key, places.get(key), at]);
      if (!places.has(key)) places.set(key, at);
    }
    push(seen.texts, call.innerText);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  look();
  new MutationObserver(look).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
  const say = document.querySelector("[data-announcer]");
  new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const node of addedNodes) seen.said.push(node.textContent);
  }).observe(say, { childList: true });
});
