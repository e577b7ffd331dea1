// With known classes: how well what is left clusters, at every theta.
import { Chart, axis } from "./charts";
import { colour } from "./colours";
import type { Score, ScoreColumn, ScoreTable, Scores } from "./data";
import { decimals, el, section, whole } from "./dom";

type Measure = "nmi" | "acc";

const kMeasureNames: Record<Measure, string> = { nmi: "NMI", acc: "ACC" };

function columnName(column: ScoreColumn): string {
  return column.theta === null ? "all" : String(column.theta);
}

function curveOptions(scores: Scores, measure: Measure): Record<string, unknown> {
  const colours = [colour("first"), colour("second"), colour("third"), colour("fourth")];
  const columns = scores.tables[0].columns;
  const baseline = columns[0].spectral?.[measure];
  return {
    grid: { left: 52, right: 16, top: 40, bottom: 48 },
    legend: { top: 4, textStyle: { color: colour("text") } },
    tooltip: {
      trigger: "axis",
      valueFormatter: (value: unknown) => decimals(value as number | null),
    },
    xAxis: axis("theta", { type: "category", data: columns.slice(1).map(columnName) }),
    yAxis: axis(kMeasureNames[measure], { type: "value", scale: true, nameGap: 38 }),
    series: scores.tables.map((table, k) => ({
      name: table.grouping,
      type: "line",
      color: colours[k % colours.length],
      symbol: k === 0 ? "circle" : "rect",
      symbolSize: 7,
      data: table.columns.slice(1).map((column) => column.spectral?.[measure] ?? null),
      ...(k > 0 || baseline === undefined
        ? {}
        : {
            markLine: {
              symbol: "none",
              silent: true,
              data: [{ yAxis: baseline }],
              lineStyle: { type: "dashed", color: colour("muted") },
              label: {
                formatter: "all features",
                position: "insideEndTop",
                color: colour("muted"),
              },
            },
          }),
    })),
  };
}

/** Better than with all features, worse, or the same: told by colour and by sign. */
function cell(score: Score | null, baseline: Score | null, measure: Measure): HTMLElement {
  if (score === null) return el("td", { class: "none" }, "–");
  const difference = baseline === null ? 0 : score[measure] - baseline[measure];
  const strength = Math.min(1, Math.abs(difference) / 0.1);
  const hue = difference >= 0 ? "0 114 178" : "213 94 0";
  const mark = difference >= 0 && baseline !== null && score !== baseline ? "▲" : "";
  const deviation = measure === "nmi" ? score.nmiStd : score.accStd;
  return el(
    "td",
    {
      style: `background: rgb(${hue} / ${(0.45 * strength).toFixed(2)})`,
      title: `standard deviation ${decimals(deviation)}`,
    },
    `${decimals(score[measure])}${mark}`,
  );
}

function heatTable(scores: Scores, table: ScoreTable, measure: Measure): HTMLElement {
  const head = el("tr", {}, el("th", { scope: "col" }, "selected"));
  for (const column of table.columns) {
    head.append(
      el(
        "th",
        { scope: "col" },
        columnName(column),
        el("br"),
        el("small", {}, whole(column.nKept)),
      ),
    );
  }
  const body = scores.sizes.map((size, row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, String(size)),
      ...table.columns.map((column) =>
        cell(column.selections[row], table.columns[0].selections[row], measure),
      ),
    ),
  );
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      { class: "heat" },
      el(
        "caption",
        {},
        `${kMeasureNames[measure]} of MCFS, ${table.grouping}: columns are thetas with the features left`,
      ),
      el("thead", {}, head),
      el("tbody", {}, ...body),
    ),
  );
}

export function scorePanel(scores: Scores): HTMLElement {
  const charts = (["nmi", "acc"] as const).map((measure) => {
    const picture = el("div", {
      class: "chart",
      id: `curve-${measure}`,
      role: "img",
      "aria-label": `${kMeasureNames[measure]} of spectral clustering against theta`,
    });
    new Chart(picture).draw(() => curveOptions(scores, measure));
    return picture;
  });
  const tables = scores.tables.flatMap((table) => [
    heatTable(scores, table, "nmi"),
    heatTable(scores, table, "acc"),
  ]);
  return section(
    "score-panel",
    "What clustering makes of it",
    el(
      "p",
      { class: "note" },
      `Spectral clustering of the samples by the features that are left, beside all features (dashed); means over ${scores.nSeeds} ${scores.nSeeds === 1 ? "seed" : "seeds"}. ▲: at least as good as with all features.`,
    ),
    el("div", { class: "pair" }, ...charts),
    ...tables,
  );
}
