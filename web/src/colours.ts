// The page's colours, as the style sheet has them for light and dark.

export type ColourName =
  | "text"
  | "muted"
  | "line"
  | "panel"
  | "accent"
  | "bubble"
  | "kept"
  | "redundant"
  | "exact"
  | "unshared"
  | "constant"
  | "first"
  | "second"
  | "third"
  | "fourth";

export function colour(name: ColourName): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const listeners: (() => void)[] = [];

export function whenColoursChange(redraw: () => void): void {
  listeners.push(redraw);
}

export function coloursChanged(): void {
  for (const redraw of listeners) redraw();
}
