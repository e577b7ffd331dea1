// The level: which grouping, where it is cut, what that keeps, and the curve over all levels.
import { Chart, axis, colour, kBlue, kOrange } from "./charts";
import type { View } from "./data";
import { counted, decimals, el, oncePerFrame, percent, section, whole } from "./dom";
import type { Level } from "./levels";
import { MergeLevels } from "./merge_levels";
import { kindCounts, leftOutCounts } from "./reasons";
import type { State, Store } from "./state";

const kCurvePoints = 400;
const kThetaSteps = 100;

const kTitles: Record<View["grouping"], string> = {
  compact: "Compact groups",
  cover: "Cover",
  components: "The paper's groups (θ)",
};

function card(
  id: string,
  title: string,
): { box: HTMLElement; show(value: string, note: string): void } {
  const value = el("strong", { id });
  const note = el("span", { class: "note" });
  return {
    box: el("div", { class: "card" }, el("span", { class: "title" }, title), value, note),
    show(text, more) {
      value.textContent = text;
      note.textContent = more;
    },
  };
}

/** The command that gives this level's features. */
function commandFor(state: State): string {
  const { data, cut, view } = state;
  const asRun = cut.isRun && view === data.views[0];
  const words = asRun ? data.groupWords : levelWords(state);
  return ["sfg reduce", data.inputWords, words, "-o out"].filter((one) => one !== "").join(" ");
}

function levelWords(state: State): string {
  const { cut, view } = state;
  if (view.grouping === "components") {
    return state.theta !== null
      ? `--theta ${state.theta}`
      : `--weight-threshold ${view.tree?.height[cut.nSteps] ?? 0}`;
  }
  const grouping = view.grouping === "cover" ? ["--grouping cover"] : [];
  return [...grouping, ...(cut.isRun ? [] : [`--n-features ${cut.nKept}`])].join(" ");
}

function download(state: State): void {
  const { names } = state.data;
  const kept = names.filter(
    (_, i) => state.cut.role[i] === "kept" || state.cut.role[i] === "representative",
  );
  const link = el("a", {
    href: URL.createObjectURL(new Blob([kept.join("\n") + "\n"], { type: "text/plain" })),
    download: "kept.txt",
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Slider and number, for theta or for the number of groups. */
class LevelControl {
  readonly box = el("div", { class: "control" });
  private readonly slider = el("input", { type: "range", id: "level-slider" });
  private readonly number = el("input", {
    type: "number",
    id: "level-number",
    "aria-label": "Level",
  });
  private readonly label = el("label", { for: "level-slider" });
  private levels: unknown = null;

  constructor(private readonly store: Store) {
    const move = oncePerFrame((value: number) => this.move(value));
    this.slider.addEventListener("input", () => move(this.slider.valueAsNumber));
    this.number.addEventListener("change", () => move(this.number.valueAsNumber));
    const back = el(
      "button",
      { type: "button", id: "level-run", onclick: () => store.showRun() },
      "As run",
    );
    this.box.append(this.label, this.slider, this.number, back);
  }

  private move(value: number): void {
    if (Number.isNaN(value)) return this.show(this.store.state);
    const { levels, view } = this.store.state;
    if (view.grouping === "components") {
      this.store.showTheta(Math.min(1 - 1 / kThetaSteps, Math.max(1 / kThetaSteps, value)));
    } else {
      this.store.showSteps(levels.stepsTo(Math.round(value)));
    }
  }

  show(state: State): void {
    const byTheta = state.view.grouping === "components";
    const nGroups = state.levels.groupsAfter(state.cut.nSteps);
    if (this.levels !== state.levels) {
      this.levels = state.levels;
      this.label.textContent = byTheta ? "Theta" : "Groups";
      const { fewestGroups, mostGroups } = state.levels;
      for (const input of [this.slider, this.number]) {
        input.min = String(byTheta ? 1 / kThetaSteps : fewestGroups);
        input.max = String(byTheta ? 1 - 1 / kThetaSteps : mostGroups);
        input.step =
          input === this.number && byTheta ? "any" : String(byTheta ? 1 / kThetaSteps : 1);
      }
    }
    const value = byTheta ? (state.theta ?? thetaOf(state)) : nGroups;
    this.slider.value = String(value);
    this.number.value = byTheta ? String(Number(value.toFixed(4))) : String(value);
    this.slider.setAttribute(
      "aria-valuetext",
      `${byTheta ? `theta ${value}` : counted(nGroups, "group")}, ${counted(state.cut.nKept, "feature")} kept`,
    );
  }
}

/** The theta whose threshold is the weight of the first merge that is not made. */
function thetaOf(state: State): number {
  const [low, high] = state.view.weightRange ?? [0, 1];
  const weight = state.view.tree?.height[state.cut.nSteps] ?? low;
  return high > low ? (weight - low) / (high - low) : 0.5;
}

/** Curves over all levels with a line where the page stands. */
class Curve {
  readonly element = el("div", { class: "chart", id: "level-curve", role: "img" });
  private readonly chart = new Chart(this.element);
  private levels: unknown = null;
  private points: Level[] = [];

  constructor(store: Store) {
    this.chart.onAxisClick((x) => {
      const { levels, view } = store.state;
      if (view.grouping === "components") {
        const theta = Math.round(x * kThetaSteps) / kThetaSteps;
        if (theta > 0 && theta < 1) store.showTheta(theta);
      } else {
        store.showSteps(levels.stepsTo(Math.round(x)));
      }
    });
  }

  show(state: State): void {
    const byTheta = state.view.grouping === "components";
    const position = byTheta
      ? (state.theta ?? thetaOf(state))
      : state.levels.groupsAfter(state.cut.nSteps);
    this.element.setAttribute(
      "aria-label",
      `Mean r² and ${byTheta ? "kept features" : "largest group"} over all levels`,
    );
    if (this.levels !== state.levels) {
      this.levels = state.levels;
      this.points = byTheta ? thetaPoints(state) : state.levels.curve(kCurvePoints);
    }
    const xOf = (level: Level & { theta?: number }): number => level.theta ?? level.nGroups;
    const mark = {
      symbol: "none",
      silent: true,
      label: { show: false },
      lineStyle: { color: colour("text"), width: 2, type: "solid" },
      data: [{ xAxis: position }],
    };
    this.chart.draw(() => ({
      grid: { left: 56, right: 64, top: 40, bottom: 48 },
      legend: { top: 4, textStyle: { color: colour("text") } },
      tooltip: {
        trigger: "axis",
        valueFormatter: (value: unknown) =>
          typeof value === "number" ? String(Number(value.toFixed(4))) : "–",
      },
      xAxis: axis(byTheta ? "theta" : "groups", {
        type: "value",
        min: byTheta ? 0 : "dataMin",
        max: byTheta ? 1 : "dataMax",
      }),
      yAxis: [
        axis("mean r²", { type: "value", min: 0, max: 1, nameGap: 38 }),
        axis(byTheta ? "features kept" : "largest group", {
          type: "value",
          nameGap: 46,
          splitLine: { show: false },
        }),
      ],
      series: [
        {
          name: "mean r²",
          type: "line",
          showSymbol: false,
          color: kBlue,
          data: this.points.map((one) => [xOf(one), one.meanR2]),
          markLine: mark,
        },
        {
          name: byTheta ? "features kept" : "largest group",
          type: "line",
          yAxisIndex: 1,
          showSymbol: false,
          color: kOrange,
          lineStyle: { type: "dashed" },
          data: this.points.map((one) => [xOf(one), byTheta ? one.nKept : one.largest]),
        },
      ],
    }));
  }
}

function thetaPoints(state: State): (Level & { theta: number })[] {
  const { levels } = state;
  if (!(levels instanceof MergeLevels)) return [];
  const fine = levels.curve(Infinity);
  const points = [];
  for (let step = 1; step < kThetaSteps; ++step) {
    const theta = step / kThetaSteps;
    points.push({ ...fine[levels.stepsAt(theta)], theta });
  }
  return points;
}

export function levelPanel(store: Store): HTMLElement {
  const kept = card("kept", "Kept");
  const removed = card("removed", "Removed");
  const groups = card("groups", "Groups of two or more");
  const r2 = card("mean-r2", "Mean r² of the removed");
  const heldOut = card("held-out", "Held-out R²");
  const control = new LevelControl(store);
  const curve = new Curve(store);
  const kinds = el("p", { class: "note", id: "kinds" });
  const command = el("code", { id: "command" });
  const tabs = el("div", { class: "tabs", role: "group", "aria-label": "Grouping" });
  const order: View["grouping"][] = ["compact", "cover", "components"];
  for (const grouping of order) {
    if (!store.state.data.views.some((view) => view.grouping === grouping)) continue;
    tabs.append(
      el(
        "button",
        { type: "button", "data-grouping": grouping, onclick: () => store.showGrouping(grouping) },
        kTitles[grouping],
      ),
    );
  }

  store.listen((state, change) => {
    if (change !== "level") return;
    const { cut, view } = state;
    for (const tab of tabs.querySelectorAll("button")) {
      tab.setAttribute("aria-pressed", String(tab.dataset["grouping"] === view.grouping));
    }
    const back = cut.isRun ? view.run.nRescued : 0;
    kept.show(
      whole(cut.nKept),
      `${percent(cut.nKept, state.data.nFeatures)} of ${whole(state.data.nFeatures)}${back > 0 ? `, ${whole(back)} because nothing explains them` : ""}`,
    );
    const leftOut = view.leftOut.length;
    removed.show(
      whole(cut.nRemoved + leftOut),
      leftOut > 0
        ? `${leftOutCounts(view)} among them`
        : percent(cut.nRemoved, state.data.nFeatures),
    );
    groups.show(
      whole(cut.groups.filter((one) => one.members.length > 1).length),
      `largest: ${whole(cut.largest)}`,
    );
    r2.show(
      decimals(cut.meanR2),
      cut.meanR2 === null
        ? "not in this page for so coarse a level"
        : "with the feature kept instead",
    );
    const certificate = cut.isRun ? view.run.certificate : null;
    if (certificate) {
      heldOut.show(
        decimals(certificate.removed.mean),
        `a tenth below ${decimals(certificate.removed.quantile10)}; permuted features: 95 % below ${decimals(certificate.permuted.quantile95)}`,
      );
    } else {
      heldOut.show(
        "–",
        cut.isRun
          ? "not certified: too few samples, or nothing removed"
          : "only at the level of the run",
      );
    }
    kinds.textContent = cut.isRun ? kindCounts(view) : "";
    kinds.hidden = kinds.textContent === "";
    command.textContent = commandFor(state);
    command.hidden = state.data.inputWords === "";
    control.show(state);
    curve.show(state);
  });

  return section(
    "level",
    "How far to reduce",
    tabs,
    control.box,
    el(
      "div",
      { class: "cards", "aria-live": "polite" },
      kept.box,
      removed.box,
      groups.box,
      r2.box,
      heldOut.box,
    ),
    kinds,
    curve.element,
    el(
      "p",
      { class: "command" },
      command,
      " ",
      el(
        "button",
        { type: "button", id: "download", onclick: () => download(store.state) },
        "Save kept features",
      ),
    ),
  );
}
