// Where every feature lies on the map: a bubble for each group, its kept feature in the middle, the
// others around it, the closest ones nearest; big groups in the middle of the map, lone features
// around them.
import { leftOutReasons } from "./reasons";
import { type Circle, pack } from "./packing";
import type { State } from "./state";

export type Fate = "kept" | "redundant" | "exact" | "unshared" | "constant";
export const kFates: Fate[] = ["kept", "redundant", "exact", "unshared", "constant"];

export interface Dot {
  feature: number;
  fate: Fate;
  x: number;
  y: number;
}

export interface Bubble extends Circle {
  representative: number;
  size: number;
}

export interface FeatureMap {
  dots: Dot[];
  bubbles: Bubble[];
  /** Of a dot, in the units of the places. */
  dotRadius: number;
  width: number;
  height: number;
  /** Of the left and upper edge. */
  left: number;
  top: number;
}

/** Neighbours in a sunflower are this far from the next ring, in radii of a dot. */
const kSpread = 1.25;
const kRim = 1.4;
/** More room around the one in the middle. */
const kFirstRing = 0.5;
/** Of a lone feature's place: with room for its name on maps that have few. */
const kAlone = 1.35;
const kRoomForName = 4;
const kMostNamed = 100;
const kGoldenAngle = Math.PI * (3 - Math.sqrt(5));

function fatesOfLeftOut(state: State): Map<number, Fate> {
  const fates: Record<string, Fate> = {
    exact: "exact",
    unshared: "unshared",
    "no-variation": "constant",
  };
  const found = new Map<number, Fate>();
  for (const [feature, reason] of leftOutReasons(state.view)) {
    found.set(feature, fates[reason] ?? "constant");
  }
  return found;
}

/** Of every feature at the level that is shown. */
export function fatesOf(state: State): Fate[] {
  const leftOut = fatesOfLeftOut(state);
  return state.cut.role.map((role, feature) =>
    role === "left out"
      ? (leftOut.get(feature) ?? "constant")
      : role === "removed"
        ? "redundant"
        : "kept",
  );
}

/** Members with the kept one first, then those that it knows best. */
function inOrder(state: State, members: number[], representative: number): number[] {
  const { r2 } = state.cut;
  const others = members.filter((one) => one !== representative);
  others.sort((x, y) => (r2[y] || 0) - (r2[x] || 0) || x - y);
  return [representative, ...others];
}

function bubbleOf(representative: number, size: number, alone: number): Bubble {
  const radius = size === 1 ? alone : kSpread * Math.sqrt(size) + kRim;
  return { representative, size, radius, x: 0, y: 0 };
}

/** `aspect`: width over height of the place that the map is for. */
export function featureMap(state: State, aspect: number): FeatureMap {
  const { cut } = state;
  const fates = fatesOfLeftOut(state);
  const isRoomy = cut.groups.length + fates.size <= kMostNamed;
  const alone = isRoomy ? kRoomForName : kAlone;
  const groups = cut.groups
    .map((group) => ({
      group,
      bubble: bubbleOf(group.representative, group.members.length, alone),
    }))
    .sort(
      (x, y) => y.bubble.size - x.bubble.size || x.bubble.representative - y.bubble.representative,
    );
  const lone = [...fates]
    .sort((x, y) => kFates.indexOf(x[1]) - kFates.indexOf(y[1]) || x[0] - y[0])
    .map(([feature, fate]) => ({ fate, bubble: bubbleOf(feature, 1, alone) }));
  const bubbles = [...groups, ...lone].map((one) => one.bubble);
  pack(bubbles, aspect);
  const dots: Dot[] = [];
  for (const { group, bubble } of groups) {
    inOrder(state, group.members, group.representative).forEach((feature, k) => {
      const away = k === 0 ? 0 : kSpread * Math.sqrt(k) + kFirstRing;
      dots.push({
        feature,
        fate: k === 0 ? "kept" : "redundant",
        x: bubble.x + away * Math.cos(k * kGoldenAngle),
        y: bubble.y + away * Math.sin(k * kGoldenAngle),
      });
    });
  }
  for (const { fate, bubble } of lone) {
    dots.push({ feature: bubble.representative, fate, x: bubble.x, y: bubble.y });
  }
  return { dots, bubbles, dotRadius: 1, ...extent(bubbles) };
}

function extent(bubbles: Bubble[]): { left: number; top: number; width: number; height: number } {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, radius } of bubbles) {
    left = Math.min(left, x - radius);
    right = Math.max(right, x + radius);
    top = Math.min(top, y - radius);
    bottom = Math.max(bottom, y + radius);
  }
  return { left, top, width: right - left, height: bottom - top };
}
