// Features that are named by numbers in regular order (wavelengths): their means as a curve.
import { Chart, axis } from "./charts";
import { type ColourName, colour } from "./colours";
import { el, section } from "./dom";
import { featureText } from "./explain";
import { type Fate, fatesOf } from "./map_layout";
import type { NumberAxis } from "./names";
import type { State, Store } from "./state";

const kMarks: { fate: Fate; name: string; symbol: string; size: number }[] = [
  { fate: "kept", name: "kept", symbol: "circle", size: 9 },
  { fate: "exact", name: "exact sum", symbol: "diamond", size: 8 },
  { fate: "unshared", name: "unshared, removed", symbol: "emptyCircle", size: 7 },
];

function options(
  state: State,
  { title, values: at }: NumberAxis,
  means: Float32Array,
): Record<string, unknown> {
  const point = (feature: number): [number, number, number] => [
    at[feature],
    means[feature],
    feature,
  ];
  const fates = fatesOf(state);
  const open = state.open === null ? -1 : state.cut.groupOf[state.open];
  const group = state.cut.groups[open];
  const members = group && group.members.length > 1 ? group.members : [];
  const marked = (
    name: string,
    features: number[],
    colourName: ColourName,
    more: object,
  ): object => ({
    name,
    type: "scatter",
    color: colour(colourName),
    data: features.map(point),
    ...more,
  });
  return {
    grid: { left: 64, right: 16, top: 40, bottom: 48 },
    legend: { top: 4, textStyle: { color: colour("text") } },
    tooltip: {
      trigger: "item",
      formatter: (item: { value?: number[] }) =>
        item.value ? featureText(state, item.value[2]) : "",
    },
    xAxis: axis(title, {
      type: "value",
      min: "dataMin",
      max: "dataMax",
      axisLabel: { color: colour("muted"), formatter: (value: number) => String(value) },
    }),
    yAxis: axis("mean", { type: "value", scale: true, nameGap: 48 }),
    series: [
      {
        name: "mean of the samples",
        type: "line",
        showSymbol: false,
        color: colour("redundant"),
        lineStyle: { width: 2 },
        data: at.map((_, feature) => point(feature)),
      },
      marked("open group", members, "second", { symbolSize: 8, itemStyle: { opacity: 0.55 } }),
      ...kMarks
        .map(({ fate, name, symbol, size }) =>
          marked(
            name,
            at.map((_, feature) => feature).filter((feature) => fates[feature] === fate),
            fate,
            { symbol, symbolSize: size },
          ),
        )
        .filter((one) => (one as { data: unknown[] }).data.length > 0),
    ],
  };
}

export function spectrumPanel(
  store: Store,
  numbers: NumberAxis,
  means: Float32Array,
  opened: () => void,
): HTMLElement {
  const picture = el("div", {
    class: "chart",
    id: "spectrum",
    role: "img",
    "aria-label": "Mean of every feature along the axis that their names give, kept ones marked",
  });
  const chart = new Chart(picture);
  chart.onAxisClick((x) => {
    const at = numbers.values;
    let nearest = 0;
    at.forEach((value, k) => {
      if (Math.abs(value - x) < Math.abs(at[nearest] - x)) nearest = k;
    });
    store.open(nearest);
    opened();
  });
  store.listen((state) => chart.draw(() => options(state, numbers, means)));
  return section(
    "spectrum-panel",
    "The features as a spectrum",
    el(
      "p",
      { class: "lead" },
      "The names are numbers in order, so each feature has its place. Dots are kept; choose a place to see what stands for it.",
    ),
    picture,
  );
}
