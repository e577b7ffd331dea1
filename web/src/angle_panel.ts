// How well features are described: angles between features and their reconstructions.
import { Chart, axis } from "./charts";
import { colour } from "./colours";
import type { View } from "./data";
import { decimals, el, section } from "./dom";
import type { Store } from "./state";

const kBins = 45;
const kLargest = 90;

function shares(angles: Float32Array): number[] {
  const bins = new Array<number>(kBins).fill(0);
  for (const angle of angles) {
    bins[Math.min(kBins - 1, Math.floor((angle / kLargest) * kBins))] += 1;
  }
  return bins.map((count) => (angles.length > 0 ? (100 * count) / angles.length : 0));
}

function withinShare(angles: Float32Array, limit: number): number {
  let count = 0;
  for (const angle of angles) count += angle <= limit ? 1 : 0;
  return angles.length > 0 ? (100 * count) / angles.length : 0;
}

function reading(view: View): string {
  if (view.maxAngle === undefined) {
    return "Compact groups use every description, whatever its angle: distances decide there.";
  }
  const passed = withinShare(view.graph.angle, view.maxAngle);
  const text = `${decimals(passed, 1)} % of the features are described to within ${view.maxAngle}°.`;
  if (!view.permuted || view.permuted.length === 0) return text;
  const chance = withinShare(view.permuted, view.maxAngle);
  const warning =
    chance > passed / 2
      ? " The angle says little about redundancy here: features that nothing can describe pass nearly as often."
      : "";
  return `${text} So are ${decimals(chance, 1)} % of ${view.permuted.length} features with their samples in random order.${warning}`;
}

export function anglePanel(store: Store): HTMLElement {
  const picture = el("div", {
    class: "chart",
    id: "angles",
    role: "img",
    "aria-label": "Histogram of representation angles",
  });
  const note = el("p", { class: "note", id: "angle-note" });
  const chart = new Chart(picture);
  const panel = section("angle-panel", "How well features are described", picture, note);
  let shown: View | null = null;
  store.listen(({ view }) => {
    if (shown === view) return;
    shown = view;
    panel.hidden = view.graph.angle.length === 0;
    if (panel.hidden) return;
    note.textContent = reading(view);
    const limit = view.maxAngle;
    const permuted = view.permuted && view.permuted.length > 0 ? view.permuted : null;
    const middle = (k: number): number => ((k + 0.5) * kLargest) / kBins;
    const points = (angles: Float32Array): number[][] =>
      shares(angles).map((share, k) => [middle(k), share]);
    chart.draw(() => ({
      grid: { left: 56, right: 16, top: 40, bottom: 48 },
      legend: { top: 4, textStyle: { color: colour("text") } },
      tooltip: {
        trigger: "axis",
        valueFormatter: (value: unknown) => `${decimals(value as number, 1)} %`,
      },
      xAxis: axis("angle of a feature and its description, degrees", {
        type: "value",
        min: 0,
        max: kLargest,
        interval: 15,
      }),
      yAxis: axis("% of features", { type: "value", nameGap: 38 }),
      series: [
        {
          name: "features",
          type: "bar",
          color: colour("first"),
          barWidth: permuted ? "40%" : "80%",
          data: points(view.graph.angle),
          ...(limit === undefined
            ? {}
            : {
                markLine: {
                  symbol: "none",
                  silent: true,
                  data: [{ xAxis: limit }],
                  label: { formatter: `limit ${limit}°`, color: colour("text") },
                  lineStyle: { color: colour("text"), width: 2 },
                },
              }),
        },
        ...(permuted
          ? [
              {
                name: "permuted features",
                type: "bar",
                color: colour("second"),
                barWidth: "40%",
                itemStyle: { decal: { symbol: "line", rotation: 0.8 } },
                data: points(permuted),
              },
            ]
          : []),
      ],
    }));
  });
  return panel;
}
