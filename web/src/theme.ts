// Light and dark: as the system has it, until the reader chooses.
import { redrawAll } from "./charts";
import { el } from "./dom";

type Theme = "light" | "dark";

export function themeButton(): HTMLElement {
  const button = el("button", { type: "button", id: "theme" });
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen: Theme | null = null;
  const current = (): Theme => chosen ?? (system.matches ? "dark" : "light");
  const show = (): void => {
    document.documentElement.dataset["theme"] = current();
    button.textContent = current() === "dark" ? "☀ Light" : "☾ Dark";
    redrawAll();
  };
  button.addEventListener("click", () => {
    chosen = current() === "dark" ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
  return button;
}
