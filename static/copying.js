// Copying, brought by the first use of a copy button: the text goes to the clipboard as it stands
// there, the button is ticked, and the page's announcer says whether it worked. A page that was not
// loaded safely has no clipboard of its own; there the browser's command copies what is selected.
const say = document.getElementById("say"),
  // What the button names (of an answer without text, what stands there), what stands before it, or
  // the code below its caption.
  source = button => button.value
    ? document.querySelector(button.value) ?? document.querySelector("article:last-child > :last-child")
    : button.previousElementSibling ?? button.closest("figure").lastChild,
  byCommand = node => {
    const selection = getSelection(),
      before = selection.rangeCount && selection.getRangeAt(0).cloneRange(),
      fill = event => {
        event.clipboardData.setData("text/plain", node.innerText)
        event.preventDefault()
      }
    selection.selectAllChildren(node)
    document.addEventListener("copy", fill)
    const copied = document.execCommand("copy")
    document.removeEventListener("copy", fill)
    selection.removeAllRanges()
    if (before) selection.addRange(before)
    if (!copied) throw new Error("the browser does not let this page copy")
  },
  tell = sentence => {
    const told = document.createElement("p")
    told.textContent = sentence
    say.replaceChildren(told)
  }
export const copy = async button => {
  const node = source(button), { copied, uncopied } = say.dataset
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(node.innerText)
    else byCommand(node)
    button.dataset.copy = 1
    tell(copied)
  } catch (error) {
    console.warn(error)
    button.dataset.copy = 0
    tell(uncopied)
  }
}
