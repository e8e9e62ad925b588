// Applies the chosen theme before the first paint. It is a classic script, because modules run after parsing.
try {
  const theme = localStorage.getItem("pincite.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be disabled; the theme of the system is used.
}
