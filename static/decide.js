// Where somebody decides: approving is off until the end of each long value was in view, what is
// left of the time is told in minutes, and Alt+A leads to the first request of a chat.
(d => {
const seen = new WeakSet,
  ends = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) seen.add(target)
    hold()
  }),
  left = new Intl.RelativeTimeFormat(d.documentElement.lang, { numeric: "always" }),
  hold = () => {
    for (const form of d.querySelectorAll("form[data-approval]")) {
      let unread = 0
      for (const end of form.closest(".request, .prompt").querySelectorAll("[data-end]"))
        if (!seen.has(end)) unread++, ends.observe(end)
      form.classList.toggle("holds", unread > 0)
      form.querySelector("[value=approve]").disabled = unread > 0
    }
  },
  tell = () => {
    for (const mark of d.querySelectorAll("[data-until]")) {
      const minutes = Math.floor((new Date(mark.dataset.until) - Date.now()) / 60000)
      mark.textContent = minutes < 0 ? "" : `(${minutes > 2880 ? left.format(Math.floor(minutes / 1440), "day")
        : minutes > 120 ? left.format(Math.floor(minutes / 60), "hour") : left.format(minutes, "minute")})`
      mark.classList.toggle("soon", minutes < 10)
    }
  },
  both = () => { hold(); tell() }
d.addEventListener("htmx:after:swap", both)
// A decision that changed nothing is no message that was not sent.
d.addEventListener("htmx:after:request", ({ detail: { ctx: { request } } }) => {
  if (request.body?.has("decision")) d.documentElement.removeAttribute("data-unsent")
})
d.addEventListener("keydown", k => {
  if (!k.altKey || k.code != "KeyA") return
  const prompt = d.querySelector("form[data-approval]")?.closest(".prompt")
  if (!prompt) return
  k.preventDefault()
  prompt.scrollIntoView({ block: "center" })
  prompt.querySelector("h4").focus({ preventScroll: true })
})
setInterval(tell, 30000)
both()
})(document)
