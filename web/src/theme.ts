// Light and dark: as the system has it, until the reader chooses.
import { redrawAll } from "./charts";
import { el } from "./dom";

type Theme = "light" | "dark";

const dark = matchMedia("(prefers-color-scheme: dark)");

function current(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return dark.matches ? "dark" : "light";
}

export function themeButton(): HTMLElement {
  const button = el("button", { type: "button", id: "theme" });
  const label = (): void => {
    button.textContent = current() === "dark" ? "☀ Light" : "☾ Dark";
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset["theme"] = current() === "dark" ? "light" : "dark";
    label();
    redrawAll();
  });
  dark.addEventListener("change", () => {
    label();
    redrawAll();
  });
  label();
  return button;
}
