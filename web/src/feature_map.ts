// The map of the features, drawn: point at a feature to read it, choose it to open its group.
import { colour, whenColoursChange } from "./colours";
import { el, oncePerFrame, whole } from "./dom";
import { featureText } from "./explain";
import { type Dot, type Fate, type FeatureMap, featureMap, kFates } from "./map_layout";
import { shortName } from "./names";
import type { State, Store } from "./state";

const kMargin = 10;
/** Of a dot on the screen: no feature is larger, however few there are. */
const kLargestDot = 12;
/** A pointer this near to a dot means it. */
const kReach = 14;
const kNameSize = 11;

const kTitles: Record<Fate, string> = {
  kept: "kept",
  redundant: "redundant",
  exact: "exact sum",
  unshared: "unshared, removed",
  constant: "constant or empty",
};

export class MapPicture {
  private readonly canvas = el("canvas", { id: "map", role: "img" });
  private readonly legend = el("p", { class: "legend", id: "map-legend" });
  private readonly note = el("p", { class: "note tapped", id: "map-note", "aria-live": "polite" });
  readonly element = el("div", { class: "map" }, this.legend, this.canvas, this.note);
  private map: FeatureMap | null = null;
  private drawnCut: unknown = null;
  private aspect = 0;
  private scale = 1;
  private hovered: number | null = null;
  private found = new Set<number>();

  constructor(
    private readonly store: Store,
    chosen: () => void,
  ) {
    const redraw = oncePerFrame(() => this.draw());
    new ResizeObserver(redraw).observe(this.canvas);
    whenColoursChange(redraw);
    this.canvas.addEventListener("pointermove", (event) => {
      const feature = this.featureAt(event);
      if (feature === this.hovered) return;
      this.hovered = feature;
      this.canvas.style.cursor = feature === null ? "default" : "pointer";
      redraw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.hovered = null;
      redraw();
    });
    this.canvas.addEventListener("click", (event) => {
      const feature = this.featureAt(event);
      if (feature === null) return;
      store.open(feature);
      chosen();
    });
    store.listen(redraw);
  }

  /** Rings around what a search finds. */
  highlight(features: number[]): void {
    this.found = new Set(features);
    this.draw();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    const { state } = this.store;
    const aspect = width / height;
    if (this.map === null || this.drawnCut !== state.cut || Math.abs(aspect - this.aspect) > 0.02) {
      this.map = featureMap(state, aspect);
      [this.drawnCut, this.aspect] = [state.cut, aspect];
      this.describe(state, this.map);
    }
    const ratio = Math.min(3, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    this.scale = Math.min(
      (width - 2 * kMargin) / this.map.width,
      (height - 2 * kMargin) / this.map.height,
      kLargestDot / this.map.dotRadius,
    );
    context.translate(width / 2, height / 2);
    this.drawBubbles(context, state, this.map);
    this.drawDots(context, state, this.map);
    this.drawNames(context, state, this.map);
    const told = this.hovered ?? state.open;
    this.note.textContent =
      told === null
        ? "Point at a feature to read it; choose it to open its group."
        : featureText(state, told);
  }

  private describe(state: State, map: FeatureMap): void {
    const count = new Map<Fate, number>();
    for (const dot of map.dots) count.set(dot.fate, (count.get(dot.fate) ?? 0) + 1);
    const present = kFates.filter((fate) => count.has(fate));
    this.legend.replaceChildren(
      ...present.map((fate) =>
        el(
          "span",
          {},
          el("i", { class: `dot ${fate}` }),
          `${kTitles[fate]} ${whole(count.get(fate) ?? 0)}`,
        ),
      ),
    );
    this.canvas.setAttribute(
      "aria-label",
      `Map of ${whole(state.data.nFeatures)} features: ${present.map((fate) => `${whole(count.get(fate) ?? 0)} ${kTitles[fate]}`).join(", ")}`,
    );
  }

  private place(at: { x: number; y: number }): [number, number] {
    const map = this.map as FeatureMap;
    return [
      (at.x - map.left - map.width / 2) * this.scale,
      (at.y - map.top - map.height / 2) * this.scale,
    ];
  }

  private drawBubbles(context: CanvasRenderingContext2D, state: State, map: FeatureMap): void {
    const open = state.open === null ? -1 : state.cut.groupOf[state.open];
    const representative = state.cut.groups[open]?.representative ?? -1;
    const [inside, line, accent] = [colour("bubble"), colour("line"), colour("accent")];
    for (const bubble of map.bubbles) {
      if (bubble.size === 1) continue;
      const isOpen = bubble.representative === representative;
      context.beginPath();
      context.arc(...this.place(bubble), bubble.radius * this.scale - 1, 0, 2 * Math.PI);
      context.fillStyle = inside;
      context.fill();
      context.lineWidth = isOpen ? 2 : 1;
      context.strokeStyle = isOpen ? accent : line;
      context.stroke();
    }
  }

  private drawDots(context: CanvasRenderingContext2D, state: State, map: FeatureMap): void {
    const radius = Math.max(0.8, 0.8 * this.scale);
    const colours = new Map(kFates.map((fate) => [fate, colour(fate)]));
    for (const dot of map.dots) {
      context.fillStyle = context.strokeStyle = colours.get(dot.fate) ?? "";
      shape(context, this.place(dot), dot.fate, radius);
    }
    const marked = map.dots.filter(
      ({ feature }) =>
        feature === state.open || feature === this.hovered || this.found.has(feature),
    );
    context.strokeStyle = colour("text");
    context.lineWidth = 2;
    for (const dot of marked) {
      context.beginPath();
      context.arc(...this.place(dot), radius + 3, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  /** The kept feature's name where its bubble has room for it. */
  private drawNames(context: CanvasRenderingContext2D, state: State, map: FeatureMap): void {
    context.font = `${kNameSize}px ${getComputedStyle(document.body).fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = colour("bubble");
    context.fillStyle = colour("text");
    for (const bubble of map.bubbles) {
      const room = 2 * bubble.radius * this.scale - 4;
      const name = fittingName(context, state.data.names[bubble.representative], room);
      if (name === "") continue;
      const [x, y] = this.place(bubble);
      const below = y + 0.8 * this.scale + 1;
      context.strokeText(name, x, below);
      context.fillText(name, x, below);
    }
  }

  private featureAt(event: MouseEvent): number | null {
    const { map } = this;
    if (map === null) return null;
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = event.clientY - box.top - box.height / 2;
    let best: Dot | null = null;
    let nearest = Math.max(kReach, this.scale) ** 2;
    for (const dot of map.dots) {
      const [dotX, dotY] = this.place(dot);
      const away = (dotX - x) ** 2 + (dotY - y) ** 2;
      if (away < nearest) [best, nearest] = [dot, away];
    }
    return best?.feature ?? null;
  }
}

/** What happened to a feature is told by form as well as by colour. */
function shape(
  context: CanvasRenderingContext2D,
  [x, y]: [number, number],
  fate: Fate,
  radius: number,
): void {
  context.beginPath();
  if (fate === "exact") {
    const reach = radius * 1.15;
    context.moveTo(x, y - reach);
    context.lineTo(x + reach, y);
    context.lineTo(x, y + reach);
    context.lineTo(x - reach, y);
    context.closePath();
    context.fill();
  } else if (fate === "unshared" || fate === "constant") {
    const line = Math.max(0.8, Math.min(2, radius / 2));
    context.lineWidth = line;
    context.arc(x, y, Math.max(0.5, radius - line / 2), 0, 2 * Math.PI);
    context.stroke();
  } else {
    context.arc(x, y, fate === "kept" ? radius : radius * 0.85, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Of a name that is cut: fewer say nothing. */
const kFewestLetters = 7;
const kLongestName = 24;
/** Smaller bubbles have no name. */
const kLeastRoom = 30;

function fittingName(context: CanvasRenderingContext2D, whole: string, room: number): string {
  if (room < kLeastRoom) return "";
  const fits = (name: string): boolean => context.measureText(name).width <= room;
  if (whole.length <= kLongestName && fits(whole)) return whole;
  for (let length = Math.min(whole.length, kLongestName); length >= kFewestLetters; --length) {
    const name = shortName(whole, length);
    if (fits(name)) return name;
  }
  return "";
}
