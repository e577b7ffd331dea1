// Every level as a curve: what stays known, what is lost, the chosen point and where the page stands.
import { Chart, axis } from "./charts";
import { colour } from "./colours";
import type { JudgedLevel, View } from "./data";
import { decimals, el, whole } from "./dom";
import { thetaOf } from "./level_control";
import type { Level } from "./levels";
import { MergeLevels } from "./merge_levels";
import type { State, Store } from "./state";

const kCurvePoints = 300;
const kThetaSteps = 100;
/** Loss ratios above this are drawn at the edge: near-copies have next to nothing to lose. */
const kHighestDrawnLoss = 4;

interface Point extends Level {
  theta?: number;
}

function thetaPoints({ levels }: State): Point[] {
  if (!(levels instanceof MergeLevels)) return [];
  const fine = levels.curve(Infinity);
  return Array.from({ length: kThetaSteps - 1 }, (_, k) => {
    const theta = (k + 1) / kThetaSteps;
    return { ...fine[levels.stepsAt(theta)], theta };
  });
}

function isByTheta(view: View): boolean {
  return view.grouping === "components";
}

export class LevelCurve {
  readonly element = el("div", { class: "chart tall", id: "level-curve", role: "img" });
  private readonly chart = new Chart(this.element);
  private levels: unknown = null;
  private points: Point[] = [];

  constructor(private readonly store: Store) {
    this.chart.onAxisClick((x) => this.choose(x));
  }

  private choose(x: number): void {
    const { view } = this.store.state;
    if (isByTheta(view)) {
      const theta = Math.round(x * kThetaSteps) / kThetaSteps;
      if (theta > 0 && theta < 1) this.store.showTheta(theta);
      return;
    }
    if (!(x > 0)) return;
    const distance = (nKept: number): number => Math.abs(Math.log(nKept / x));
    const [near] = [...this.points].sort((a, b) => distance(a.nKept) - distance(b.nKept));
    const [judged] = [...view.judged.levels].sort((a, b) => distance(a.nKept) - distance(b.nKept));
    // A judged level close by is what a finger means: there all measures are known.
    const isClose = judged !== undefined && distance(judged.nKept) < 0.05;
    if (isClose) this.store.showSteps(judged.nSteps);
    else if (near !== undefined) this.store.showSteps(near.nSteps);
  }

  show(state: State): void {
    const byTheta = isByTheta(state.view);
    if (this.levels !== state.levels) {
      this.levels = state.levels;
      this.points = byTheta ? thetaPoints(state) : state.levels.curve(kCurvePoints);
    }
    this.element.setAttribute(
      "aria-label",
      byTheta
        ? "Mean r² and kept features at every theta"
        : "Neighbours kept, held-out R², mean r² and loss ratio at every level, with the chosen one",
    );
    this.chart.draw(() => (byTheta ? this.thetaOptions(state) : this.keptOptions(state)));
  }

  private thetaOptions(state: State): Record<string, unknown> {
    const at = state.theta ?? thetaOf(state);
    return {
      ...frame(),
      tooltip: { trigger: "axis", valueFormatter: shortNumber },
      xAxis: axis("theta", { type: "value", min: 0, max: 1 }),
      yAxis: [unitAxis("mean r²"), axis("features kept", { ...kRight, nameGap: 46 })],
      series: [
        {
          ...line("mean r² with the substitute", "first"),
          data: this.points.map((one) => [one.theta, one.meanR2]),
          markLine: marks([{ at, text: "here" }]),
        },
        {
          ...line("features kept", "second"),
          yAxisIndex: 1,
          lineStyle: { type: "dashed" },
          data: this.points.map((one) => [one.theta, one.nKept]),
        },
      ],
    };
  }

  private keptOptions({ cut, view }: State): Record<string, unknown> {
    const rows = view.judged.levels;
    const judged = (
      name: string,
      colourName: "first" | "second" | "third",
      symbol: string,
      value: (row: JudgedLevel) => number | null,
    ): Record<string, unknown> => ({
      ...line(name, colourName),
      showSymbol: true,
      symbol,
      symbolSize: 6,
      data: rows.map((row) => [row.nKept, value(row)]),
    });
    const here = cut.isRun ? [] : [{ at: cut.nKept, text: "here" }];
    const chosen = { at: view.run.nKept, text: "the answer" };
    const known = this.points.filter((one) => one.meanR2 !== null);
    return {
      ...frame(),
      tooltip: {
        trigger: "axis",
        formatter: (items: { seriesIndex: number; value: [number, number] }[]) =>
          described(view, items[0]?.value[0] ?? 0),
      },
      xAxis: axis("features kept", {
        type: "log",
        min: "dataMin",
        max: "dataMax",
        axisTick: { customValues: ticks(this.points) },
        axisLabel: { customValues: ticks(this.points), color: colour("muted"), hideOverlap: true },
      }),
      yAxis: [
        unitAxis("share that stays known"),
        axis(`loss ratio (top: ${kHighestDrawnLoss} and more)`, {
          ...kRight,
          min: 0,
          max: kHighestDrawnLoss,
          nameGap: 40,
        }),
      ],
      series: [
        {
          ...line("mean r² with the substitute", "fourth"),
          z: 1,
          lineStyle: { width: 1.5 },
          data: known.map((one) => [one.nKept, one.meanR2]),
          markLine: marks([chosen, ...here]),
        },
        ...(rows.length === 0
          ? []
          : [
              judged("neighbours kept", "first", "circle", (row) => row.overlap),
              judged("held-out R²", "third", "rect", (row) => row.meanR2),
              {
                ...judged("loss ratio", "second", "triangle", (row) =>
                  row.lossRatio === null ? null : Math.min(kHighestDrawnLoss, row.lossRatio),
                ),
                yAxisIndex: 1,
                lineStyle: { type: "dashed" },
              },
            ]),
      ],
    };
  }
}

const kRight = { type: "value", splitLine: { show: false } };

/** 1, 2, 5, 10, ... where there are levels. */
function ticks(points: Point[]): number[] {
  const kept = points.map((one) => one.nKept);
  const [low, high] = [Math.min(...kept), Math.max(...kept)];
  const all: number[] = [];
  for (let power = 1; power <= high; power *= 10) all.push(power, 2 * power, 5 * power);
  const inside = all.filter((one) => one >= low && one <= high);
  return inside.length > 2 ? inside : [low, ...inside, high];
}

function unitAxis(name: string): object {
  return axis(name, { type: "value", min: 0, max: 1, nameGap: 38 });
}

function frame(): object {
  return {
    grid: { left: 56, right: 64, top: 64, bottom: 48 },
    legend: { top: 4, textStyle: { color: colour("text") }, type: "scroll" },
  };
}

function line(name: string, colourName: "first" | "second" | "third" | "fourth"): object {
  return { name, type: "line", showSymbol: false, color: colour(colourName) };
}

function marks(lines: { at: number; text: string }[]): object {
  return {
    symbol: "none",
    silent: true,
    label: { show: true, formatter: "{b}", color: colour("text"), position: "end" },
    lineStyle: { color: colour("text"), width: 2, type: "solid" },
    data: lines.map(({ at, text }) => ({
      name: text,
      xAxis: at,
      lineStyle: { type: text === "here" ? "dotted" : "solid" },
    })),
  };
}

function shortNumber(value: unknown): string {
  return typeof value === "number" ? String(Number(value.toFixed(4))) : "–";
}

function described(view: View, nKept: number): string {
  const row = view.judged.levels.find((one) => one.nKept === nKept);
  if (!row) return `${whole(nKept)} kept`;
  const isChosen = row.nSteps === view.run.nSteps;
  return [
    `${whole(row.nKept)} kept${isChosen ? ", the answer" : row.good ? ", good" : ""}`,
    `neighbours kept ${decimals(row.overlap)}`,
    `held-out R² ${decimals(row.meanR2)}`,
    `loss ratio ${decimals(row.lossRatio)}`,
  ].join("\n");
}
