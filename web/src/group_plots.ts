// The removed features of a group, each against what stands for it; worst first.
import { decimals, el, whole } from "./dom";
import { heldOutOf } from "./explain";
import { nameInText } from "./names";
import { type Plot, classLegend, rangeOf, scatter, valuesOf } from "./scatter";
import type { State } from "./state";

const kMostPlots = 6;
const kTitleLength = 24;

/** A removed feature against the one that is kept instead. */
function substitutePlot(state: State, feature: number, representative: number): Plot | null {
  const { values, names } = state.data;
  if (!values) return null;
  const heldOut = state.cut.isRun ? heldOutOf(state, feature) : null;
  const note = `r² ${decimals(state.cut.r2[feature])}${heldOut === null ? "" : `, held-out R² ${decimals(heldOut)}`}`;
  return {
    title: nameInText(names[feature], kTitleLength),
    note,
    x: valuesOf(values, representative),
    y: valuesOf(values, feature),
    xRange: rangeOf(values, representative),
    yRange: rangeOf(values, feature),
    xName: nameInText(names[representative]),
    yName: nameInText(names[feature]),
  };
}

/** A feature that is a sum of others against that sum. */
function equationPlot(state: State, feature: number): Plot | null {
  const { values, names } = state.data;
  const { equations } = state.view;
  const place = equations.features.indexOf(feature);
  if (!values || place < 0) return null;
  const { nPoints } = values;
  return {
    title: nameInText(names[feature], kTitleLength),
    note: "against the sum of the others",
    x: equations.codes.subarray(place * nPoints, (place + 1) * nPoints),
    y: valuesOf(values, feature),
    xRange: rangeOf(values, feature),
    yRange: rangeOf(values, feature),
    xName: "the sum of others",
    yName: nameInText(names[feature]),
  };
}

/** The open feature first, then the members that are known least. */
function chosen(state: State, feature: number): number[] {
  const group = state.cut.groups[state.cut.groupOf[feature]];
  if (!group) return [];
  const others = group.members.filter((one) => one !== group.representative && one !== feature);
  others.sort((x, y) => state.cut.r2[x] - state.cut.r2[y] || x - y);
  const first = feature === group.representative ? [] : [feature];
  return [...first, ...others];
}

export function groupPlots(state: State, feature: number): HTMLElement {
  const box = el("div", { id: "plots" });
  const { values, names } = state.data;
  if (!values) return box;
  const group = state.cut.groups[state.cut.groupOf[feature]];
  const members = chosen(state, feature);
  const plots = group
    ? members.slice(0, kMostPlots).map((one) => substitutePlot(state, one, group.representative))
    : [equationPlot(state, feature)];
  const there = plots.filter((one): one is Plot => one !== null);
  if (there.length === 0) return box;
  const hidden = members.length - there.length;
  const what = group
    ? `${members.length === 1 ? "The removed feature" : "Removed features"} (up) against ${nameInText(names[group.representative], kTitleLength)} (across)`
    : "The feature (up) against the sum of the others (across)";
  const more = group && hidden > 0 ? `; ${whole(hidden)} closer ones are in the table` : "";
  box.append(
    el("p", { class: "note" }, `${what}, ${whole(values.nPoints)} samples${more}.`),
    el("div", { class: "plots" }, ...there.map((plot) => scatter(plot, values))),
  );
  const legend = classLegend(values);
  if (legend) box.append(legend);
  return box;
}
