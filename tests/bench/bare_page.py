"""The least that a page can do to show the same updates: what machine and browser cost alone."""

BARE = """() => {
  const feed = document.getElementById("feed").getAttribute("hx-sse:connect")
  const action = document.getElementById("composer").action
  for (const styles of document.querySelectorAll("link[rel=stylesheet]")) styles.remove()
  const [box, log] = [document.createElement("textarea"), document.createElement("div")]
  document.body.replaceChildren(log, box)
  box.addEventListener("keydown", key => {
    if (key.key != "Enter") return
    key.preventDefault()
    const body = new URLSearchParams({ message: box.value })
    fetch(action, { method: "POST", body, headers: { "HX-Request": "true" } })
    box.value = ""
  })
  const follow = async () => {
    const { body } = await fetch(feed, { headers: { Accept: "text/event-stream" } })
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const line = document.createElement("div")
      line.textContent = value.replace(/<[^>]*>/g, "")
      log.append(line)
    }
  }
  void follow()
}"""
"""Neither style nor library: a message is posted, and each update's text becomes a line."""
