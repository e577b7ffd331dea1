// Why features were removed and what is known of them, counted and in words.
import type { Removed, View } from "./data";

const kKindTexts: Record<string, string> = {
  copy: "copies of a kept feature",
  exact: "exact combinations of kept features",
  predicted: "predicted on held-out samples",
  shared: "predicted about as well as by all features",
  unshared: "unshared: nothing in the table knew them",
  lost: "lost: part of what the table knew is gone",
  untried: "not tested",
};

/** Where a feature stands among the removed ones of the run; -1 if it was kept. */
export function placeAmongRemoved({ features }: Removed, feature: number): number {
  let low = 0;
  let high = features.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (features[middle] < feature) low = middle + 1;
    else high = middle;
  }
  return features[low] === feature ? low : -1;
}

export function reasonOf(view: View, feature: number): string | null {
  const { removed } = view.run;
  const place = placeAmongRemoved(removed, feature);
  return place < 0 ? null : removed.reasons[removed.reason[place]];
}

/** Features that no group stands for, and why they are out. */
export function leftOutReasons(view: View): [feature: number, reason: string][] {
  return [...view.leftOut].map((feature) => [feature, reasonOf(view, feature) ?? ""]);
}

export function kindOf(view: View, feature: number): string | null {
  const { removed } = view.run;
  const place = placeAmongRemoved(removed, feature);
  return place < 0 ? null : removed.kinds[removed.kind[place]];
}

export function kindText(kind: string): string {
  return kKindTexts[kind] ?? kind;
}

function counts(codes: ArrayLike<number>, names: string[]): [string, number][] {
  const found = new Array<number>(names.length).fill(0);
  for (let k = 0; k < codes.length; ++k) ++found[codes[k]];
  return names.map((name, k): [string, number] => [name, found[k]]).filter(([, n]) => n > 0);
}

/** What is known of the removed ones: "84", "copies of a kept feature"; most first. */
export function kindCounts(view: View): [number, string][] {
  const { kind, kinds } = view.run.removed;
  return counts(kind, kinds)
    .map(([name, n]): [number, string] => [n, kindText(name)])
    .sort((x, y) => y[0] - x[0]);
}
