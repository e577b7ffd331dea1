// Small helpers for the page's elements. Text always goes in as text: a name is never markup.

type Attributes = Record<string, string | number | boolean | EventListener>;

/** el("button", { class: "x", onclick: f }, "text", child). */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** A titled part of the page. */
export function section(id: string, title: string, ...children: (Node | string)[]): HTMLElement {
  return el(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

const kWhole = new Intl.NumberFormat("en");

export function whole(value: number): string {
  return kWhole.format(value);
}

/** "1 feature", "2,000 features". */
export function counted(value: number, noun: string, nouns = `${noun}s`): string {
  return `${whole(value)} ${value === 1 ? noun : nouns}`;
}

export function percent(part: number, all: number): string {
  return all > 0 ? `${((100 * part) / all).toFixed(1)} %` : "–";
}

export function decimals(value: number | null | undefined, digits = 3): string {
  return value === null || value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}

/** A coefficient in a formula. */
export function significant(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** With every digit that is not rounding: what is within a billionth of a shorter number is that. */
export function exactDigits(value: number): string {
  for (let digits = 1; digits < 17; ++digits) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.abs(shorter - value) <= 1e-9 * Math.abs(value)) return String(shorter);
  }
  return String(value);
}

/** A share as a whole percentage, rounded as the program does. */
export function wholePercent(share: number): string {
  const value = 100 * share;
  const nearest = Math.round(value);
  const even = value % 1 === 0.5 && nearest % 2 === 1 ? nearest - 1 : nearest;
  return String(even);
}

/** Calls at most once per frame, with the latest arguments. */
export function oncePerFrame<Arguments extends unknown[]>(
  call: (...values: Arguments) => void,
): (...values: Arguments) => void {
  let waiting: Arguments | null = null;
  return (...values) => {
    if (waiting === null) {
      requestAnimationFrame(() => {
        const latest = waiting as Arguments;
        waiting = null;
        call(...latest);
      });
    }
    waiting = values;
  };
}
