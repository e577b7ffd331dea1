// Slider and number: theta, or how many groups to make; and the command that gives the level.
import { counted, el, oncePerFrame } from "./dom";
import type { State, Store } from "./state";

const kThetaSteps = 100;

/** The theta whose threshold is the weight of the first merge that is not made. */
export function thetaOf(state: State): number {
  const [low, high] = state.view.weightRange ?? [0, 1];
  const weight = state.view.tree?.height?.[state.cut.nSteps] ?? low;
  return high > low ? (weight - low) / (high - low) : 0.5;
}

/** The command that gives this level's features. */
export function commandFor(state: State): string {
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
      : `--weight-threshold ${view.tree?.height?.[cut.nSteps] ?? 0}`;
  }
  const grouping = view.grouping === "cover" ? ["--grouping cover"] : [];
  return [...grouping, ...(cut.isRun ? [] : [`--n-features ${cut.nKept}`])].join(" ");
}

/** The names of the kept features as a file. */
export function download(state: State): void {
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

export class LevelControl {
  readonly box = el("div", { class: "control" });
  private readonly slider = el("input", { type: "range", id: "level-slider" });
  private readonly number = el("input", {
    type: "number",
    id: "level-number",
    "aria-label": "Level",
  });
  private readonly label = el("label", { for: "level-slider" });
  private readonly back: HTMLButtonElement;
  private levels: unknown = null;

  constructor(private readonly store: Store) {
    const move = oncePerFrame((value: number) => this.move(value));
    this.slider.addEventListener("input", () => move(this.slider.valueAsNumber));
    this.number.addEventListener("change", () => move(this.number.valueAsNumber));
    this.back = el(
      "button",
      { type: "button", id: "level-run", onclick: () => store.showRun() },
      "Back to the answer",
    );
    this.box.append(this.label, this.slider, this.number, this.back);
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
    this.back.disabled = state.cut.isRun;
    if (this.levels !== state.levels) {
      this.levels = state.levels;
      this.label.textContent = byTheta ? "Theta" : "Keep fewer or more";
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
