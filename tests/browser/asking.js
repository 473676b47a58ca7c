// Installed before anything of the page: at each mutation, controls of a decision that stand in a
// call that does not wait for one, and what was ever in the place of a prompt before it.
window.early = [];
document.addEventListener("DOMContentLoaded", () => {
  const look = () => {
    for (const control of document.querySelectorAll("[data-approval], [name=decision], .prompt, .verdict")) {
      const call = control.closest("[data-call]");
      if (call?.dataset.state !== "awaiting_approval") early.push(control.outerHTML.slice(0, 120));
    }
    for (const call of document.querySelectorAll("[data-call]:not([data-state=awaiting_approval])"))
      if (/approv/i.test(call.innerText) && !early.told) early.told = early.push(call.innerText);
  };
  look();
  new MutationObserver(look).observe(document.body, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
});
