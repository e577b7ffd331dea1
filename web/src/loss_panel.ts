// What is lost with the removed features: how well the kept ones predict them on samples held out.
import { Chart, axis } from "./charts";
import { colour } from "./colours";
import type { View } from "./data";
import { decimals, el, section, whole } from "./dom";
import { kindCounts } from "./reasons";
import type { State, Store } from "./state";
import { nameButton } from "./names";

const kBins = 30;
/** Values below this are drawn in the first bar. */
const kLowest = -0.2;
const kWorst = 8;

function shares(values: number[]): number[] {
  const bins = new Array<number>(kBins).fill(0);
  for (const value of values) {
    const place = Math.floor(((value - kLowest) / (1 - kLowest)) * kBins);
    bins[Math.min(kBins - 1, Math.max(0, place))] += 1;
  }
  return bins.map((count) => (100 * count) / Math.max(1, values.length));
}

function known(values: Float32Array): number[] {
  return [...values].filter((value) => !Number.isNaN(value));
}

function reading({ run }: View): string {
  const certificate = run.certificate;
  if (!certificate) {
    return "Held-out R² was not measured: there are too few samples, or nothing was removed.";
  }
  const { removed, permuted, all } = certificate;
  const share = decimals(100 * removed.share80, 1);
  const which = all ? "removed features" : `${whole(removed.n)} removed features that were tried`;
  return `Of the ${which}, ${share} % are predicted with an R² of 0.8 or better, from the kept features, on samples that took no part. Features with their samples in random order, which nothing can predict, stay below ${decimals(permuted.quantile95)} (95 %).`;
}

/** The removed features that are predicted least. */
function worst({ data, view }: State, open: (feature: number) => void): HTMLElement[] {
  const { features, heldOut } = view.run.removed;
  return [...heldOut]
    .map((value, k) => ({ value, feature: features[k] }))
    .filter(({ value }) => !Number.isNaN(value))
    .sort((x, y) => x.value - y.value || x.feature - y.feature)
    .slice(0, kWorst)
    .map(({ value, feature }) =>
      el(
        "li",
        {},
        nameButton(data.names[feature], () => open(feature)),
        el("span", {}, decimals(value)),
      ),
    );
}

function histogram({ run }: View): Record<string, unknown> {
  const removed = shares(known(run.removed.heldOut));
  const permuted = shares([...(run.certificate?.permutedR2 ?? [])]);
  const middle = (k: number): number => kLowest + ((k + 0.5) * (1 - kLowest)) / kBins;
  const bars = (name: string, colourName: "first" | "second", values: number[]): object => ({
    name,
    type: "bar",
    color: colour(colourName),
    barWidth: "88%",
    barGap: "-100%",
    data: values.map((value, k) => [middle(k), value]),
    itemStyle:
      colourName === "second"
        ? { opacity: 0.75, decal: { symbol: "line", rotation: 0.8 } }
        : { opacity: 0.85 },
  });
  return {
    grid: { left: 56, right: 16, top: 40, bottom: 48 },
    legend: { top: 4, textStyle: { color: colour("text") } },
    tooltip: {
      trigger: "axis",
      valueFormatter: (value: unknown) => `${decimals(value as number, 1)} %`,
    },
    xAxis: axis(`held-out R² (first bar: ${kLowest} and lower)`, {
      type: "value",
      min: kLowest,
      max: 1,
      interval: 0.2,
    }),
    yAxis: axis("% of features", { type: "value", nameGap: 38 }),
    series: [
      bars("removed features", "first", removed),
      bars("by chance (samples in random order)", "second", permuted),
    ],
  };
}

export function lossPanel(store: Store, opened: () => void): HTMLElement {
  const picture = el("div", {
    class: "chart",
    id: "held-out-histogram",
    role: "img",
    "aria-label": "Histogram of held-out R² of removed features beside what chance reaches",
  });
  const chart = new Chart(picture);
  const text = el("p", { class: "lead", id: "loss-text" });
  const kinds = el("ul", { class: "kinds", id: "kinds" });
  const least = el("ol", { class: "worst", id: "worst" });
  const leastTitle = el("h3", {}, "Predicted least");
  const sides = el(
    "div",
    {},
    el("h3", {}, "What is known of the removed"),
    kinds,
    leastTitle,
    least,
  );
  const panel = section(
    "loss-panel",
    "What would I lose?",
    text,
    el("div", { class: "columns" }, picture, sides),
    el("p", { class: "note" }, "Of the answer's level; the slider does not change this part."),
  );
  const open = (feature: number): void => {
    store.open(feature);
    opened();
  };
  let shown: View | null = null;
  store.listen((state) => {
    const { view } = state;
    if (shown === view) return;
    shown = view;
    panel.hidden = view.run.removed.features.length === 0;
    text.textContent = reading(view);
    kinds.replaceChildren(
      ...kindCounts(view).map(([n, kind]) => el("li", {}, el("strong", {}, whole(n)), ` ${kind}`)),
    );
    const items = worst(state, open);
    least.replaceChildren(...items);
    leastTitle.hidden = least.hidden = items.length === 0;
    picture.hidden = view.run.certificate === null;
    if (!picture.hidden) chart.draw(() => histogram(view));
  });
  return panel;
}
