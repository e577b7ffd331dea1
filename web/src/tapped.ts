// On a narrow screen the open feature is far from what was tapped: a line at the bottom says what it
// is and leads there.
import { el } from "./dom";
import { featureText } from "./explain";
import type { Store } from "./state";

const kNarrow = "(max-width: 860px)";

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
    this.element = el(
      "div",
      { id: "tapped", role: "status", hidden: true },
      this.text,
      show,
      close,
    );
  }

  /** After something was chosen anywhere on the page. */
  opened(): void {
    const title = document.getElementById("group-title");
    if (title === null || this.store.state.open === null) return;
    const { top, bottom } = title.getBoundingClientRect();
    const isVisible = top >= 0 && bottom <= innerHeight;
    if (isVisible) return title.focus({ preventScroll: true });
    if (!matchMedia(kNarrow).matches) return this.lead();
    this.text.textContent = featureText(this.store.state, this.store.state.open);
    this.element.hidden = false;
  }

  private hide(): void {
    this.element.hidden = true;
  }

  private lead(): void {
    this.hide();
    const title = document.getElementById("group-title");
    title?.scrollIntoView({ block: "start" });
    title?.focus({ preventScroll: true });
  }
}
