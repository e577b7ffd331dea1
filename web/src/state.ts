// What the page shows at the moment, and who wants to know when that changes.
import type { PageData, View } from "./data";
import type { Cut, Levels } from "./levels";
import { MergeLevels } from "./merge_levels";
import { PickLevels } from "./pick_levels";

export interface State {
  data: PageData;
  levels: Levels;
  view: View;
  cut: Cut;
  /** Where the paper's slider stands; null between its positions and for other groupings. */
  theta: number | null;
  /** The feature whose group is open. */
  open: number | null;
  /** The one that is open when the page opens. */
  first: number | null;
}

/** What changed: another level or grouping, or only the open feature. */
export type Change = "level" | "open";
export type Listener = (state: State, change: Change) => void;

function levelsOf(view: View, nFeatures: number): Levels {
  if (view.picks) return new PickLevels(view, view.picks, nFeatures);
  if (view.tree) return new MergeLevels(view, view.tree, nFeatures);
  throw new Error(`no levels of ${view.grouping}`);
}

/** The kept feature of the largest group: what there is most to see of; else an exact sum. */
function interesting(view: View, cut: Cut): number | null {
  const [largest] = [...cut.groups].sort(
    (x, y) => y.members.length - x.members.length || x.representative - y.representative,
  );
  if (largest && largest.members.length > 1) return largest.representative;
  return view.equations.features[0] ?? null;
}

export class Store {
  private readonly allLevels: Levels[];
  private readonly listeners: Listener[] = [];
  state: State;

  constructor(data: PageData) {
    this.allLevels = data.views.map((view) => levelsOf(view, data.nFeatures));
    this.state = this.start(data, this.allLevels[0]);
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
    listener(this.state, "level");
  }

  showGrouping(grouping: string): void {
    const levels = this.allLevels.find((one) => one.view.grouping === grouping);
    if (!levels || levels === this.state.levels) return;
    const { data, open, first } = this.state;
    const state = this.start(data, levels);
    this.state = { ...state, open: open === first ? state.first : open };
    this.tell("level");
  }

  showSteps(nSteps: number, theta: number | null = null): void {
    this.state = { ...this.state, cut: this.state.levels.cut(nSteps), theta };
    this.tell("level");
  }

  showTheta(theta: number): void {
    const { levels } = this.state;
    if (levels instanceof MergeLevels) this.showSteps(levels.stepsAt(theta), theta);
  }

  /** Back to the level of the run. */
  showRun(): void {
    this.showSteps(this.state.view.run.nSteps, this.state.view.run.theta);
  }

  open(feature: number | null): void {
    this.state = { ...this.state, open: feature };
    this.tell("open");
  }

  private start(data: PageData, levels: Levels): State {
    const run = levels.view.run;
    const cut = levels.cut(run.nSteps);
    const first = interesting(levels.view, cut);
    return {
      data,
      levels,
      view: levels.view,
      cut,
      theta: run.theta,
      open: first,
      first,
    };
  }

  private tell(change: Change): void {
    for (const listener of this.listeners) listener(this.state, change);
  }
}
