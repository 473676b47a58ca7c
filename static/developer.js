// htmx gets its Trusted Types policy from here; what a page shows is made on the server.
(() => {
const no = () => { throw Error() }
htmx.registerExtension("developer", { init: a => a.initSecurity(
  self.trustedTypes?.createPolicy("htmx", { createHTML: s => s, createScript: no }), no, no) })
})()
