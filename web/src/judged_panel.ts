// Levels as the automatic choice judges them: neighbours that stay, and what is lost.
import { Chart, axis, colour, kBlue, kGreen, kOrange } from "./charts";
import type { JudgedLevel, View } from "./data";
import { decimals, el, section, whole } from "./dom";
import type { State, Store } from "./state";
import { type Column, SortedTable } from "./table";

/** Loss ratios above this are drawn at the edge: near-copies have next to nothing to lose. */
const kHighestDrawnLoss = 4;

type Row = JudgedLevel & { chosen: boolean };

function columns(store: Store): Column<Row>[] {
  return [
    {
      title: "Kept",
      key: (row) => row.nKept,
      cell: (row) =>
        el(
          "button",
          { type: "button", class: "name", onclick: () => store.showSteps(row.nSteps) },
          whole(row.nKept),
        ),
      falling: true,
    },
    { title: "Overlap", key: (row) => row.overlap, cell: (row) => decimals(row.overlap) },
    {
      title: "Loss ratio",
      key: (row) => row.lossRatio ?? Infinity,
      cell: (row) => decimals(row.lossRatio),
    },
    {
      title: "Mean R²",
      key: (row) => row.meanR2 ?? -Infinity,
      cell: (row) => decimals(row.meanR2),
    },
    { title: "Good", key: (row) => Number(row.good), cell: (row) => (row.good ? "yes" : "no") },
    {
      title: "Chosen",
      key: (row) => Number(row.chosen),
      cell: (row) => (row.chosen ? "chosen" : ""),
    },
  ];
}

function rowsOf(view: View): Row[] {
  return view.judged.levels.map((level) => ({
    ...level,
    chosen: level.nSteps === view.run.nSteps,
  }));
}

function reading(view: View): string {
  const rows = rowsOf(view);
  const chosen = rows.find((row) => row.chosen);
  if (!chosen) return "";
  const limits = `A level is good if at least ${decimals(100 * view.judged.minOverlap, 0)} % of the samples' 10 nearest stay and the kept features leave about ${view.judged.maxLossRatio} times as much of the removed ones unexplained as all features do, or less.`;
  return rows.some((row) => row.good)
    ? `${limits} The coarsest good level keeps ${whole(chosen.nKept)}.`
    : `${limits} None is, or the data do not allow to judge: only near-copies go, and ${whole(chosen.nKept)} stay.`;
}

/** The curve; features kept run on a logarithmic axis, as the levels do. */
class JudgedCurve {
  readonly element = el("div", {
    class: "chart",
    id: "judged-curve",
    role: "img",
    "aria-label": "Overlap, mean R² and loss ratio over the levels, with the chosen one marked",
  });
  private readonly chart = new Chart(this.element);

  constructor(store: Store) {
    this.chart.onAxisClick((x) => {
      const { view } = store.state;
      const distance = (level: JudgedLevel): number => Math.abs(Math.log(level.nKept / x));
      const [nearest] = [...view.judged.levels].sort((a, b) => distance(a) - distance(b));
      if (nearest !== undefined && x > 0) store.showSteps(nearest.nSteps);
    });
  }

  show(view: View): void {
    const rows = rowsOf(view);
    const chosen = rows.find((row) => row.chosen);
    const line = (at: object, text: string, type: string, position: string): object => ({
      ...at,
      lineStyle: { color: colour("muted"), width: type === "solid" ? 2 : 1, type },
      label: { show: true, formatter: text, color: colour("muted"), position },
    });
    const series = (
      name: string,
      color: string,
      symbol: string,
      value: (row: Row) => number | null,
    ): object => ({
      name,
      type: "line",
      color,
      symbol,
      symbolSize: (_: unknown, item: { dataIndex: number }) =>
        rows[item.dataIndex].chosen ? 16 : 5,
      data: rows.map((row) => [row.nKept, value(row)]),
    });
    this.chart.draw(() => ({
      grid: { left: 56, right: 64, top: 40, bottom: 48 },
      legend: { top: 4, textStyle: { color: colour("text") } },
      tooltip: {
        trigger: "axis",
        formatter: (items: { dataIndex: number }[]) => described(rows[items[0].dataIndex]),
      },
      xAxis: axis("features kept", { type: "log", min: "dataMin", max: "dataMax" }),
      yAxis: [
        axis("overlap, mean R²", { type: "value", min: 0, max: 1, nameGap: 38 }),
        axis(`loss ratio (top: ${kHighestDrawnLoss} and more)`, {
          type: "value",
          min: 0,
          max: kHighestDrawnLoss,
          nameGap: 40,
          splitLine: { show: false },
        }),
      ],
      series: [
        {
          ...series("overlap", kBlue, "circle", (row) => row.overlap),
          markLine: {
            symbol: "none",
            silent: true,
            data: [
              line(
                { yAxis: view.judged.minOverlap },
                "enough overlap",
                "dashed",
                "insideStartBottom",
              ),
              ...(chosen ? [line({ xAxis: chosen.nKept }, "chosen", "solid", "end")] : []),
            ],
          },
        },
        series("mean R²", kGreen, "rect", (row) => row.meanR2),
        {
          ...series("loss ratio", kOrange, "triangle", (row) =>
            row.lossRatio === null ? null : Math.min(kHighestDrawnLoss, row.lossRatio),
          ),
          yAxisIndex: 1,
          lineStyle: { type: "dashed" },
        },
      ],
    }));
  }
}

function described(row: Row): string {
  return [
    `${whole(row.nKept)} kept${row.chosen ? ", chosen" : row.good ? ", good" : ""}`,
    `overlap ${decimals(row.overlap)}`,
    `mean R² ${decimals(row.meanR2)}`,
    `loss ratio ${decimals(row.lossRatio)}`,
  ].join("\n");
}

export function judgedPanel(store: Store): HTMLElement {
  const curve = new JudgedCurve(store);
  const note = el("p", { class: "note", id: "judged-note" });
  const table = new SortedTable<Row>("judged", columns(store), { sortBy: 0, perPage: 12 });
  const panel = section(
    "judged-panel",
    "Every level as the automatic choice judges it",
    curve.element,
    note,
    table.element,
  );
  let shown: View | null = null;
  store.listen(({ view }: State) => {
    if (shown === view) return;
    shown = view;
    panel.hidden = view.judged.levels.length === 0;
    if (panel.hidden) return;
    note.textContent = reading(view);
    table.show(rowsOf(view));
    curve.show(view);
  });
  return panel;
}
