// Typesets the formulas of a page with KaTeX, whose files are part of the site.
document.addEventListener("DOMContentLoaded", () => {
  for (const formula of document.querySelectorAll(".formula"))
    katex.render(formula.textContent, formula, {displayMode: formula.classList.contains("display"), throwOnError: false});
});
