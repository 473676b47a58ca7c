// The pages of operators: htmx's Trusted Types policy, single keys, and what became of a sending.
(d => {
const e = d.documentElement, no = () => { throw Error() }, on = (n, f) => d.addEventListener(n, f),
  mark = (n, v) => e.toggleAttribute("data-" + n, !!v),
  use = d.getElementById("use-keys"), keys = d.getElementById("keys"),
  all = () => [...d.querySelectorAll(".request")],
  within = () => d.activeElement?.closest(".request"),
  here = () => within() ?? all().find(r => r.getBoundingClientRect().bottom > innerHeight / 3) ?? all().at(-1)
let armed
const disarm = () => { armed?.removeAttribute("data-armed"); armed = null },
  arm = value => {
    const form = here()?.querySelector("form[data-approval]"), button = form?.querySelector(`[value=${value}]`)
    disarm()
    if (!button) return
    form.closest(".request").focus({ preventScroll: true })
    button.scrollIntoView({ block: "nearest" })
    if (!button.disabled) armed = form, form.dataset.armed = value
  },
  go = step => {
    const list = all(), at = list.indexOf(within() ?? here())
    const to = within() ? list[at + step] : list[at]
    to?.focus({ preventScroll: true })
    to?.scrollIntoView({ block: "start" })
  },
  does = {
    j: () => go(1), n: () => go(1), k: () => go(-1), p: () => go(-1),
    a: () => arm("approve"), d: () => arm("deny"),
    r: () => {
      const remarks = here()?.querySelector(".remarks")
      if (remarks) remarks.open = true, remarks.querySelector("textarea").focus()
    },
    Enter: () => d.activeElement.matches?.(".request") && d.activeElement.querySelector("h2 a").click(),
    "?": () => { if (keys) keys.open = !keys.open, keys.scrollIntoView({ block: "nearest" }) },
  }
htmx.registerExtension("formwork", { init: a => a.initSecurity(
  self.trustedTypes?.createPolicy("htmx", { createHTML: s => s, createScript: no }), no, no) })
on("keydown", k => {
  if (k.ctrlKey || k.metaKey || k.altKey || k.repeat || k.isComposing || (use && !use.checked)) return
  if (k.target.matches("input, textarea, select")) {
    if (k.key == "Escape") k.target.closest(".request")?.focus()
    return
  }
  if (k.key == "Enter" && k.target.matches("a, button, summary")) return
  if (armed && k.key == "y") {
    const form = armed, value = form.dataset.armed
    k.preventDefault()
    disarm()
    form.requestSubmit(form.querySelector(`[value=${value}]`))
    return
  }
  disarm()
  if (!Object.hasOwn(does, k.key)) return
  k.preventDefault()
  does[k.key]()
})
// The form goes with its focus; the request stays, and the keys go on from it.
on("submit", ({ target }) => target.closest(".request")?.focus({ preventScroll: true }))
on("focusin", ({ target }) => armed && !armed.closest(".request").contains(target) && disarm())
if (use) {
  use.checked = localStorage.getItem("keys") != "off"
  on("change", ({ target }) => target == use && localStorage.setItem("keys", use.checked ? "on" : "off"))
}
on("htmx:after:request", ({ detail: { ctx: { request: r, response: { status: s } } } }) =>
  r.body && mark("unsent", s != 200 && s != 409))
on("htmx:error", x => mark(x.target.id == "feed" ? "offline" : "unsent", 1))
on("htmx:sse:error", () => mark("offline", 1))
on("htmx:sse:after:connection", () => mark("offline"))
on("end", () => mark("ended", 1))
})(document)
