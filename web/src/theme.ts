// Light and dark: as the system has it, until the reader chooses. Paper is light.
import { coloursChanged } from "./colours";
import { el } from "./dom";

export type Theme = "light" | "dark";

export class ThemeChoice {
  readonly button = el("button", { type: "button", id: "theme" });
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  /** Null: as the system has it. */
  chosen: Theme | null = null;

  constructor(private readonly changed: () => void) {
    this.button.addEventListener("click", () => {
      this.choose(this.current() === "dark" ? "light" : "dark");
      this.changed();
    });
    this.system.addEventListener("change", () => this.show(this.current()));
    addEventListener("beforeprint", () => this.show("light"));
    addEventListener("afterprint", () => this.show(this.current()));
    this.show(this.current());
  }

  choose(theme: Theme | null): void {
    this.chosen = theme;
    this.show(this.current());
  }

  private current(): Theme {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }

  private show(theme: Theme): void {
    document.documentElement.dataset["theme"] = theme;
    this.button.textContent = theme === "dark" ? "☀ Light" : "☾ Dark";
    coloursChanged();
  }
}
