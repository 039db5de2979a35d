// mdBook turns the page at an arrow key. Whoever reads code with a screen reader, or scrolls a
// long line, presses arrow keys there and wants to stay.
document.addEventListener(
  "keydown",
  (event) => {
    if (event.key.startsWith("Arrow") && event.target.closest("pre, .table-wrapper")) {
      event.stopPropagation();
    }
  },
  true,
);

// Wide code and tables scroll inside; the keyboard reaches only what can have the focus.
for (const wide of document.querySelectorAll("pre > code, .table-wrapper")) {
  if (wide.scrollWidth > wide.clientWidth) {
    wide.tabIndex = 0;
  }
}
