// Why a feature was kept or removed, in words.
import type { View } from "./data";
import { decimals, el, significant } from "./dom";
import { kindOf, kindText, placeAmongRemoved, reasonOf } from "./reasons";
import { nameButton, nameInText, shortName } from "./names";
import type { State } from "./state";

/** Longer names are cut even where there is room. */
const kLongestTitle = 1000;

export interface Term {
  feature: number;
  weight: number;
}

export function termsOf(view: View, feature: number): Term[] {
  const { starts, neighbours, weights } = view.graph;
  const terms: Term[] = [];
  for (let k = starts[feature]; k < starts[feature + 1]; ++k) {
    if (weights[k] !== 0) terms.push({ feature: neighbours[k], weight: weights[k] });
  }
  return terms.sort((x, y) => Math.abs(y.weight) - Math.abs(x.weight));
}

/** "0.62·A + 0.35·B − 1.2", every name a button that opens the feature. */
export function formula(
  state: State,
  terms: Term[],
  intercept: number,
  open: (feature: number) => void,
  text: (value: number) => string = significant,
): HTMLElement {
  const line = el("span", { class: "formula" });
  terms.forEach(({ feature, weight }, k) => {
    const sign = weight < 0 ? "− " : k > 0 ? "+ " : "";
    line.append(
      `${k > 0 ? " " : ""}${sign}${Math.abs(weight) === 1 ? "" : `${text(Math.abs(weight))}·`}`,
      nameButton(state.data.names[feature], () => open(feature)),
    );
  });
  if (intercept !== 0) {
    line.append(` ${intercept < 0 ? "−" : "+"} ${text(Math.abs(intercept))}`);
  }
  return line;
}

export function heldOutOf(state: State, feature: number): number | null {
  const place = placeAmongRemoved(state.view.run.removed, feature);
  const value = place < 0 ? NaN : state.view.run.removed.heldOut[place];
  return Number.isNaN(value) ? null : value;
}

/** Why no group stands for a feature. */
const kLeftOutTexts: Record<string, string> = {
  "no-variation": "Left out: it has the same value in every sample.",
  unshared: "Removed as unshared: nothing in the table knows anything about it.",
  exact: "Removed as exact: it is a sum of others, but for rounding.",
};

function roleText(state: State, feature: number): string {
  const { cut, data } = state;
  const group = cut.groups[cut.groupOf[feature]];
  switch (cut.role[feature]) {
    case "left out":
      return kLeftOutTexts[reasonOf(state.view, feature) ?? ""] ?? "Left out.";
    case "representative":
      return `Kept: it stands for a group of ${group.members.length}.`;
    case "removed":
      return `Removed: ${nameInText(data.names[group.representative])} is kept instead, r² ${decimals(cut.r2[feature])}.`;
    default:
      return group.members.length > 1
        ? "Kept: nothing explains it well enough, or it was asked for."
        : "Kept: alone in its group.";
  }
}

/** One line about a feature, for pointers and fingers. */
export function featureText(state: State, feature: number): string {
  return `${nameInText(state.data.names[feature])}. ${roleText(state, feature)}`;
}

/** Everything known about one feature. */
export function explanation(
  state: State,
  feature: number,
  open: (feature: number) => void,
): HTMLElement {
  const { view } = state;
  const box = el("div", { class: "why", id: "why" });
  box.append(
    el("h4", { dir: "auto" }, shortName(state.data.names[feature], kLongestTitle)),
    el("p", { id: "why-role" }, roleText(state, feature)),
  );
  const place = state.cut.isRun ? placeAmongRemoved(view.run.removed, feature) : -1;
  if (place >= 0) {
    const removed = view.run.removed;
    const combination: Term[] = [];
    for (let k = removed.starts[place]; k < removed.starts[place + 1]; ++k) {
      combination.push({ feature: removed.terms[k], weight: removed.coefficients[k] });
    }
    if (combination.length > 0) {
      box.append(
        el(
          "p",
          {},
          "From kept features: ",
          formula(state, combination, removed.intercepts[place], open),
        ),
        el(
          "p",
          { class: "note" },
          `In units of the data; explains ${decimals(removed.r2[place])} of its variance on these samples.`,
        ),
      );
    }
    const kind = kindOf(view, feature);
    if (kind !== null && kind !== "untried") {
      box.append(el("p", { id: "why-kind" }, `Known as ${kind}: ${kindText(kind)}.`));
    }
    const heldOut = heldOutOf(state, feature);
    if (heldOut !== null) {
      box.append(
        el(
          "p",
          {},
          `Held-out R² ${decimals(heldOut)}: predicted from kept features on samples left out.`,
        ),
      );
    }
  }
  const terms = termsOf(view, feature);
  if (terms.length > 0) {
    const failed = view.graph.failed[feature] !== 0;
    const off = decimals(view.graph.angle[feature], 1);
    box.append(
      el(
        "p",
        { class: "note" },
        "Described by ",
        formula(state, terms, 0, open),
        ` (features of unit length), off by ${off}°${failed ? ", too much to be used" : ""}.`,
      ),
    );
  }
  return box;
}
