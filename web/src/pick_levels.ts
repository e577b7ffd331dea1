// Cover: features in the order in which they are picked, and the picks that came nearer to each.
import type { PickLists, View } from "./data";
import { kR2Steps, type Level, Levels, type Owners } from "./levels";

export class PickLevels extends Levels {
  /** Kept features that are in no group but their own, at every level. */
  private readonly nBeside: number;

  constructor(
    view: View,
    private readonly lists: PickLists,
    nFeatures: number,
  ) {
    super(view, nFeatures);
    let nBeside = 0;
    for (let i = 0; i < nFeatures; ++i) {
      if (this.leftOut[i] === 0 && lists.starts[i] === lists.starts[i + 1]) ++nBeside;
    }
    this.nBeside = nBeside;
  }

  get fewestGroups(): number {
    return this.nBeside + Math.min(1, this.lists.picks.length);
  }

  get mostGroups(): number {
    return this.nBeside + this.lists.picks.length;
  }

  hasSteps(nSteps: number): boolean {
    return nSteps >= Math.min(1, this.lists.picks.length) && nSteps <= this.lists.picks.length;
  }

  groupsAfter(nSteps: number): number {
    return this.nBeside + nSteps;
  }

  stepsTo(nGroups: number): number {
    const most = this.lists.picks.length;
    return Math.min(most, Math.max(Math.min(1, most), nGroups - this.nBeside));
  }

  curve(nPoints: number): Level[] {
    const most = this.lists.picks.length;
    const every = Math.max(1, Math.floor(most / nPoints));
    const points: Level[] = [];
    for (let m = most; m >= 1; --m) {
      if (m % every !== 0 && m !== most && m !== 1) continue;
      points.push(this.levelAfter(m));
    }
    return points;
  }

  private levelAfter(nSteps: number): Level {
    const { owner, r2 } = this.ownersAfter(nSteps);
    const size = new Int32Array(this.nFeatures);
    let largest = 0;
    let nRemoved = 0;
    let sum = 0;
    for (let i = 0; i < this.nFeatures; ++i) {
      if (this.leftOut[i] !== 0) continue;
      largest = Math.max(largest, ++size[owner[i]]);
      if (owner[i] === i) continue;
      ++nRemoved;
      sum += r2[i];
    }
    return {
      nSteps,
      nGroups: this.groupsAfter(nSteps),
      nKept: this.nTaken - nRemoved,
      meanR2: nRemoved > 0 ? sum / nRemoved : 1,
      largest,
    };
  }

  protected ownersAfter(nSteps: number): Owners {
    const { picks, starts, places, r2: values } = this.lists;
    const owner = Int32Array.from({ length: this.nFeatures }, (_, i) => i);
    const r2 = new Float32Array(this.nFeatures).fill(1);
    for (let i = 0; i < this.nFeatures; ++i) {
      let at = starts[i + 1] - 1;
      while (at >= starts[i] && places[at] >= nSteps) --at;
      if (at < starts[i]) continue;
      owner[i] = picks[places[at]];
      r2[i] = values[at] / kR2Steps;
    }
    return { owner, r2, measured: true };
  }
}
