(d => {
const e = d.documentElement, box = d.getElementById("message"), kept = sessionStorage,
on = (n, f) => d.addEventListener(n, f), mark = (n, v) => v ? e.dataset[n] = v : delete e.dataset[n],
key = box.form.attributes.action.value + box.defaultValue, keep = () => kept[key] = box.value,
size = () => d.getElementById("log").textContent.length,
free = () => getSelection().isCollapsed, go = () => {
 d.querySelector(".choice") && import("./decide.js")
 if (end && free()) scrollTo(0, e.scrollHeight)
 else mark("below", size() > low)
}
let end = !/[xl]/.test(location.hash), low = size()
htmx.registerExtension("formwork", { init: a => a.initSecurity(
self.trustedTypes?.createPolicy("htmx", { createHTML: s => s })),
htmx_before_morph_node: (e, { oldNode: o }) => o.normalize() })
on("keydown", k => {
 if (k.target == box && k.keyCode == 13 && !k.shiftKey && !k.isComposing)
k.preventDefault(), box.form.requestSubmit()
})
on("input", keep)
on("click", (c, b = c.target) => {
 c.detail > 1 && b.name == "message" && c.preventDefault()
 b.matches("[data-copy]") && import("./copying.js").then(m => m.copy(b))
})
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
 mark(r.body ? "unsent" : "offline", s != 204 && s)
 if (s != 204) return
 kept.from = key
 if (box.value == r.body.get("message")) box.value = "", keep(), end = 1
 if (t.id == "stopper" && free() && matchMedia("(hover)").matches) box.focus()
})
on("htmx:error", x => mark(x.target.id == "feed" ? "offline" : "unsent", 1))
on("htmx:sse:error", () => mark("offline", 1))
on("htmx:sse:after:connection", () => mark("offline"))
on("end", () => mark("ended", 1))
if (kept.from == "/") box.focus()
kept.from = ""
box.maxLength = 1e9
box.value = kept[key] || box.value
go()
})(document)
