// Small plots of one feature against what stands for it: the values of some samples.
import { el } from "./dom";
import type { Values } from "./data";

const kSide = 100;
const kInset = 10;
/** Of points at one place, in the units of the side. */
const kApart = 1.6;
const kFarthest = 9;
const kGoldenAngle = Math.PI * (3 - Math.sqrt(5));
const kSteps = 254;
/** Stands where a feature has no value. */
const kNoValue = 255;
const kSvg = "http://www.w3.org/2000/svg";
const kNoClass = 255;

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

export interface Plot {
  title: string;
  /** What is known of the pair, under the plot. */
  note: string;
  x: Uint8Array;
  y: Uint8Array;
  xRange: [number, number];
  yRange: [number, number];
  xName: string;
  yName: string;
}

export function valuesOf(values: Values, feature: number): Uint8Array {
  return values.codes.subarray(feature * values.nPoints, (feature + 1) * values.nPoints);
}

export function rangeOf(values: Values, feature: number): [number, number] {
  return [values.low[feature], values.high[feature]];
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

/** Points at one place lie around it as in a sunflower, so that their number can be seen. */
function places({ x, y }: Plot): [number, number][] {
  const along = (code: number): number => kInset + (code / kSteps) * (kSide - 2 * kInset);
  const seen = new Map<number, number>();
  return Array.from(x, (code, k) => {
    const key = code * (kSteps + 1) + y[k];
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    const away = Math.min(kFarthest, kApart * Math.sqrt(before));
    const angle = before * kGoldenAngle;
    const inside = (place: number): number => Math.min(kSide - 2, Math.max(2, place));
    return [
      inside(along(code) + away * Math.cos(angle)),
      inside(kSide - along(y[k]) + away * Math.sin(angle)),
    ];
  });
}

/** All points of a class in one path: each is a line of no length with a round end. */
function points(at: [number, number][], isIn: (k: number) => boolean): string {
  return at.map(([x, y], k) => (isIn(k) ? `M${x.toFixed(1)} ${y.toFixed(1)}h0` : "")).join("");
}

export function scatter(plot: Plot, values: Values): HTMLElement {
  const picture = svg("svg", {
    viewBox: `0 0 ${kSide} ${kSide}`,
    role: "img",
    "aria-label": `${plot.yName} against ${plot.xName}, ${values.nPoints} samples`,
  });
  const { classes } = values;
  const at = places(plot);
  const isKnown = (k: number): boolean => plot.x[k] !== kNoValue && plot.y[k] !== kNoValue;
  const n = classes?.names.length ?? 0;
  for (let one = 0; one < n; ++one) {
    const path = points(at, (k) => isKnown(k) && classes?.codes[k] === one);
    picture.append(svg("path", { d: path, class: `points class${one}` }));
  }
  const others = points(at, (k) => isKnown(k) && (!classes || classes.codes[k] === kNoClass));
  picture.append(svg("path", { d: others, class: "points" }));
  const axisText = ([low, high]: [number, number]): string => `${short(low)} … ${short(high)}`;
  return el(
    "figure",
    { class: "scatter" },
    el("figcaption", { title: plot.yName }, plot.title),
    picture,
    el("span", { class: "range" }, `across ${axisText(plot.xRange)}; up ${axisText(plot.yRange)}`),
    el("span", { class: "note" }, plot.note),
  );
}

/** Which colour is which class. */
export function classLegend(values: Values): HTMLElement | null {
  const { classes } = values;
  if (!classes) return null;
  return el(
    "p",
    { class: "legend" },
    `${classes.name}:`,
    ...classes.names.map((name, k) => el("span", {}, el("i", { class: `dot class${k}` }), name)),
  );
}
