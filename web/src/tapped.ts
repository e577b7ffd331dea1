// What was chosen may be far from the group that it opens: a line at the bottom says what it is and
// leads there. Nothing jumps away from under a finger.
import { el } from "./dom";
import { featureText } from "./explain";
import type { Store } from "./state";

function isVisible(): boolean {
  const box = document.getElementById("group-title")?.getBoundingClientRect();
  return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
}

export class Tapped {
  private readonly text = el("span", { id: "tapped-text" });
  readonly element: HTMLElement;

  constructor(private readonly store: Store) {
    const show = el("button", { type: "button", onclick: () => this.lead() }, "Show");
    const close = el(
      "button",
      { type: "button", "aria-label": "Close", onclick: () => this.hide() },
      "×",
    );
    this.element = el("div", { id: "tapped", role: "status" }, this.text, show, close);
    this.hide();
    store.listen((state) => {
      if (state.open !== null) this.text.textContent = featureText(state, state.open);
    });
  }

  /** After something was chosen anywhere on the page. */
  opened(): void {
    this.element.hidden = this.store.state.open === null || isVisible();
  }

  /** To the open feature. */
  lead(): void {
    this.hide();
    const title = document.getElementById("group-title");
    if (!isVisible()) title?.scrollIntoView({ block: "start" });
    title?.focus({ preventScroll: true });
  }

  private hide(): void {
    this.element.hidden = true;
  }
}
