// Names in the order in which people count (x2 before x10), short enough to be drawn.
import { el } from "./dom";

const kOrder = new Intl.Collator("en", { numeric: true });

export function compareNames(x: string, y: string): number {
  return kOrder.compare(x, y);
}

const kLongest = 80;

/** For a place with little room. */
export function shortName(name: string, longest = kLongest): string {
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
}

/** Letters from right to left, and characters that turn the direction. */
const kTurns = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;

/** For a sentence: a name that is written from right to left does not turn the rest of it. */
export function nameInText(name: string, longest = kLongest): string {
  const short = shortName(name, longest);
  return kTurns.test(short) ? `\u2068${short}\u2069` : short;
}

/** R puts an X in front of a number; spectra carry their unit. */
const kNumber = /^(X|nm|wl)?[_ ]?(-?\d+(?:\.\d+)?)[_ ]?(?:nm|cm-1)?$/i;
const kFewest = 20;
/** The longest step may be so many times the usual one: spectra leave out what water absorbs. */
const kLongestStep = 12;
/** R's X1, X2, ... are columns without a name. */
const kFirstOfR = 100;

export interface NumberAxis {
  title: string;
  values: number[];
}

function titleOf(name: string): string {
  if (/nm|wl/i.test(name)) return "wavelength, nm";
  return /cm-1/i.test(name) ? "wavenumber, 1/cm" : "number in the feature's name";
}

/** The numbers that features are named by, if these are in regular order and do not merely count. */
export function axisOf(names: string[]): NumberAxis | null {
  if (names.length < kFewest) return null;
  const values: number[] = [];
  for (const name of names) {
    const [, prefix, digits] = kNumber.exec(name) ?? [];
    if (digits === undefined || /^0\d/.test(digits)) return null;
    if (prefix?.toUpperCase() === "X" && Number(digits) < kFirstOfR) return null;
    values.push(Number(digits));
  }
  const sign = Math.sign(values[1] - values[0]);
  const steps = values.slice(1).map((value, k) => sign * (value - values[k]));
  const usual = [...steps].sort((x, y) => x - y)[steps.length >> 1];
  if (steps.some((step) => !(step > 0) || step > kLongestStep * usual)) return null;
  const counts = steps.every((step) => step === 1) && values[0] <= 1;
  return counts ? null : { title: titleOf(names[0]), values };
}

/** A name that opens its feature. */
export function nameButton(name: string, open: () => void): HTMLElement {
  return el("button", { type: "button", class: "name", onclick: open }, shortName(name));
}
