(d => {
const e = d.documentElement, box = d.getElementById("message"),
  on = (n, f) => d.addEventListener(n, f), mark = (n, v) => e.toggleAttribute("data-" + n, !!v),
  kept = sessionStorage, key = box.form.attributes.action.value, keep = () => kept[key] = box.value,
  size = () => d.getElementById("log").textContent.length,
  go = () => {
  d.querySelector(".choice") && import("./decide.js")
  if (end && getSelection().isCollapsed) scrollTo(0, e.scrollHeight)
  else mark("below", size() > low)
}
let end = !/[xl]/.test(location.hash), low = size()
htmx.registerExtension("formwork", { init: a => a.initSecurity(
  self.trustedTypes?.createPolicy("htmx", { createHTML: s => s })) })
on("keydown", k => {
  if (k.target == box && k.keyCode == 13 && !k.shiftKey && !k.isComposing)
    k.preventDefault(), box.form.requestSubmit()
})
on("input", x => x.target == box && keep())
on("submit", () => kept.from = key)
on("click", ({ target: b }) => b.matches("[data-copy]") &&
  navigator.clipboard.writeText(([...d.querySelectorAll(b.value || "_")].pop() ??
    b.previousElementSibling ?? b.closest("figure").lastChild).innerText).then(() => b.dataset.copy = 1))
on("scroll", () => {
  if (end = e.scrollHeight - innerHeight - scrollY < 60) low = 0, mark("below")
  else low ||= size()
})
on("htmx:after:swap", () => {
  d.querySelectorAll("article:nth-last-child(2) [data-state=done]>[open]:not([data-past])")
    .forEach(x => x.open = x.dataset.past = "")
  go()
})
on("htmx:after:request", ({ target: t, detail: { ctx: { request: r, response: { status: s } } } }) => {
  mark(r.body ? "unsent" : "offline", s != 204)
  if (s == 204 && box.value == r.body.get("message")) box.value = "", keep(), end = 1
  if (t.id == "stopper") box.focus()
})
on("htmx:error", x => mark(x.target.id == "feed" ? "offline" : "unsent", 1))
on("htmx:sse:error", () => mark("offline", 1))
on("htmx:sse:after:connection", () => mark("offline"))
on("end", () => mark("ended", 1))
if (kept.from == "/" && key != "/") delete kept["/"], delete kept.from, box.focus()
box.value ||= kept[key] ?? ""
go()
})(document)
