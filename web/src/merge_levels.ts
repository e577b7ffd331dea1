// Compact groups and the paper's: merges to be replayed.
import type { Tree, View } from "./data";
import { kR2Steps, type Level, Levels, type Owners } from "./levels";

/** A weight above the threshold by no more than this equals it, as in the program. */
const kWeightTie = 1e-12;

/** Replays merges: lists of members, representatives, r2. */
class Replay {
  readonly next: Int32Array;
  readonly last: Int32Array;
  readonly size: Int32Array;
  readonly representative: Int32Array;
  readonly r2: Float32Array;
  /** Does not count as removed even if another one represents it. */
  readonly stays: Uint8Array;
  sum = 0;
  nRemoved = 0;
  largest = 1;
  private at = 0;

  constructor(
    view: View,
    private readonly tree: Tree,
    n: number,
  ) {
    this.next = new Int32Array(n).fill(-1);
    this.last = Int32Array.from({ length: n }, (_, i) => i);
    this.size = new Int32Array(n).fill(1);
    this.representative = Int32Array.from({ length: n }, (_, i) => i);
    this.r2 = new Float32Array(n).fill(1);
    this.stays = new Uint8Array(n);
    for (const feature of view.protected) this.stays[feature] = 1;
  }

  merge(m: number): void {
    const [a, b, chosen] = [this.tree.a[m], this.tree.b[m], this.tree.representative[m]];
    this.change(a, chosen);
    this.change(b, chosen);
    this.next[this.last[a]] = b;
    this.last[a] = this.last[b];
    this.size[a] += this.size[b];
    this.representative[a] = chosen;
    this.largest = Math.max(this.largest, this.size[a]);
  }

  /** All members of the group get another representative. */
  private change(group: number, chosen: number): void {
    const before = this.representative[group];
    if (before === chosen) return;
    const values = this.tree.r2;
    for (let i = group; i >= 0; i = this.next[i]) {
      const counted = this.stays[i] === 0;
      if (i !== before && counted) {
        this.sum -= this.r2[i];
        --this.nRemoved;
      }
      if (i === chosen) {
        this.r2[i] = 1;
        continue;
      }
      this.r2[i] = values[this.at++] / kR2Steps; // NaN behind the end of the list
      if (counted) {
        this.sum += this.r2[i];
        ++this.nRemoved;
      }
    }
  }
}

export class MergeLevels extends Levels {
  private readonly nMerges: number;

  constructor(
    view: View,
    readonly tree: Tree,
    nFeatures: number,
  ) {
    super(view, nFeatures);
    this.nMerges = tree.a.length;
  }

  get fewestGroups(): number {
    return this.nTaken - this.nMerges;
  }

  get mostGroups(): number {
    return this.nTaken;
  }

  hasSteps(nSteps: number): boolean {
    return nSteps >= 0 && nSteps <= this.nMerges;
  }

  groupsAfter(nSteps: number): number {
    return this.nTaken - nSteps;
  }

  stepsTo(nGroups: number): number {
    return Math.min(this.nMerges, Math.max(0, this.nTaken - nGroups));
  }

  /** The weight threshold of a theta, as the program computes it. */
  threshold(theta: number): number {
    const [low, high] = this.view.weightRange ?? [0, 0];
    const range = high - low;
    return range <= kWeightTie * high ? theta * high : low + theta * range;
  }

  /** Merges that a threshold lets through; heights fall. */
  stepsAt(theta: number): number {
    const limit = this.threshold(theta) + kWeightTie;
    const heights = this.tree.height ?? new Float64Array();
    let low = 0;
    let high = heights.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (heights[middle] > limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  curve(nPoints: number): Level[] {
    const replay = new Replay(this.view, this.tree, this.nFeatures);
    const every = Math.max(1, Math.floor((this.nMerges + 1) / nPoints));
    const points: Level[] = [];
    for (let m = 0; m <= this.nMerges; ++m) {
      if (m > 0) replay.merge(m - 1);
      if (m % every !== 0 && m !== this.nMerges) continue;
      const meanR2 = replay.nRemoved > 0 ? replay.sum / replay.nRemoved : 1;
      points.push({
        nSteps: m,
        nGroups: this.groupsAfter(m),
        nKept: this.nTaken - replay.nRemoved,
        meanR2: m <= this.tree.nMeasured ? meanR2 : null,
        largest: replay.largest,
      });
    }
    return points;
  }

  protected ownersAfter(nSteps: number): Owners {
    const replay = new Replay(this.view, this.tree, this.nFeatures);
    for (let m = 0; m < nSteps; ++m) replay.merge(m);
    const gone = new Uint8Array(this.nFeatures);
    for (let m = 0; m < nSteps; ++m) gone[this.tree.b[m]] = 1;
    const owner = new Int32Array(this.nFeatures);
    for (let first = 0; first < this.nFeatures; ++first) {
      if (gone[first] !== 0) continue;
      for (let i = first; i >= 0; i = replay.next[i]) {
        owner[i] = replay.stays[i] !== 0 ? i : replay.representative[first];
      }
    }
    return { owner, r2: replay.r2, measured: nSteps <= this.tree.nMeasured };
  }
}
