(d => {
const e = d.documentElement, box = d.getElementById("message"), no = () => { throw Error() },
  on = (n, f) => d.addEventListener(n, f), mark = (n, v) => e.toggleAttribute("data-" + n, !!v),
  go = () => end && scrollTo(0, e.scrollHeight)
let end = 1
htmx.registerExtension("formwork", { init: a => a.initSecurity(
  self.trustedTypes?.createPolicy("htmx", { createHTML: s => s, createScript: no }), no, no) })
on("keydown", k => {
  if (k.target == box && k.key == "Enter" && !k.shiftKey && !k.isComposing && k.keyCode != 229)
    k.preventDefault(), box.form.requestSubmit()
})
on("click", ({ target: b }) => b.matches("[data-copy]") &&
  navigator.clipboard.writeText((d.getElementById(b.value) ?? b.closest("figure").lastChild).innerText)
    .then(() => b.dataset.copy = 1))
on("scroll", () => end = e.scrollHeight - innerHeight - scrollY < 60)
on("htmx:after:swap", () => {
  d.querySelectorAll(".exchange:nth-last-child(2) [data-state=done]>[open]:not([data-past])")
    .forEach(x => x.open = x.dataset.past = "")
  go()
})
on("htmx:after:request", ({ detail: { ctx: { request: r, response: { status: s } } } }) => {
  mark(r.body ? "unsent" : "offline", end = s != 204)
  if (!end && box.value == r.body.get("message")) box.value = ""
  end = 1
})
on("htmx:error", x => mark(x.target.id == "feed" ? "offline" : "unsent", 1))
on("htmx:sse:error", () => mark("offline", 1))
on("htmx:sse:after:connection", () => mark("offline"))
on("end", () => mark("ended", 1))
go()
})(document)
