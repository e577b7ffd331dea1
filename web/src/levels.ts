// A hierarchy cut at any level, in the page: the same groups as the program makes.
import type { View } from "./data";

/** A weight above the threshold by no more than this equals it, as in the program. */
const kWeightTie = 1e-12;
const kR2Steps = 65535;

export interface Group {
  representative: number;
  members: number[];
  /** Of members that are removed; 1 if there are none. */
  meanR2: number;
  lowestR2: number;
}

export type Role = "kept" | "representative" | "removed" | "left out";

/** The groups at one level, and what it keeps. */
export interface Cut {
  nMerges: number;
  nKept: number;
  nRemoved: number;
  meanR2: number | null;
  largest: number;
  groups: Group[];
  groupOf: Int32Array;
  role: Role[];
  /** With the group's representative; NaN at a level whose r2 are not in the page. */
  r2: Float32Array;
  /** It is the very level of the run. */
  isRun: boolean;
}

/** A point of the curve. */
export interface Level {
  nMerges: number;
  nKept: number;
  meanR2: number | null;
  largest: number;
}

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
    private readonly view: View,
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
    const tree = this.view.tree;
    const [a, b, chosen] = [tree.a[m], tree.b[m], tree.representative[m]];
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
    const values = this.view.tree.r2;
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

export class Levels {
  readonly nFeatures: number;
  readonly nLevels: number;
  private readonly leftOut: Uint8Array;

  constructor(readonly view: View) {
    this.nFeatures = view.graph.angle.length;
    this.nLevels = view.tree.a.length + 1;
    this.leftOut = new Uint8Array(this.nFeatures);
    for (const feature of view.leftOut) this.leftOut[feature] = 1;
  }

  /** The weight threshold of a theta, as the program computes it. */
  threshold(theta: number): number {
    const [low, high] = this.view.weightRange ?? [0, 0];
    const range = high - low;
    return range <= kWeightTie * high ? theta * high : low + theta * range;
  }

  /** Merges that a threshold lets through; heights fall. */
  mergesAt(theta: number): number {
    const limit = this.threshold(theta) + kWeightTie;
    const heights = this.view.tree.height;
    let low = 0;
    let high = heights.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (heights[middle] > limit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Merges that leave so many kept features, or as near to it as the hierarchy goes. */
  mergesToKeep(nKept: number): number {
    const all = this.nFeatures - this.view.leftOut.length;
    return Math.min(this.nLevels - 1, Math.max(0, all - nKept));
  }

  cut(nMerges: number): Cut {
    const replay = this.replayed(nMerges);
    const n = this.nFeatures;
    const isRun = nMerges === this.view.run.nMerges;
    const cameBack = new Set(isRun ? this.view.run.cameBack : []);
    const gone = new Uint8Array(n);
    for (let m = 0; m < nMerges; ++m) gone[this.view.tree.b[m]] = 1;
    const groups: Group[] = [];
    const groupOf = new Int32Array(n).fill(-1);
    const role = new Array<Role>(n).fill("kept");
    let nKept = 0;
    let sum = 0;
    let nRemoved = 0;
    let largest = 0;
    for (let first = 0; first < n; ++first) {
      if (gone[first] !== 0) continue;
      if (this.leftOut[first] !== 0) {
        role[first] = "left out";
        continue;
      }
      const representative = replay.representative[first];
      const members: number[] = [];
      let groupSum = 0;
      let groupRemoved = 0;
      let lowest = 1;
      for (let i = first; i >= 0; i = replay.next[i]) {
        members.push(i);
        groupOf[i] = groups.length;
        if (i === representative || replay.stays[i] !== 0 || cameBack.has(i)) {
          ++nKept;
          continue;
        }
        role[i] = "removed";
        groupSum += replay.r2[i];
        lowest = Math.min(lowest, replay.r2[i]);
        ++groupRemoved;
      }
      if (members.length > 1) role[representative] = "representative";
      members.sort((x, y) => x - y);
      largest = Math.max(largest, members.length);
      sum += groupSum;
      nRemoved += groupRemoved;
      groups.push({
        representative,
        members,
        meanR2: groupRemoved > 0 ? groupSum / groupRemoved : 1,
        lowestR2: lowest,
      });
    }
    const measured = nMerges <= this.view.tree.nMeasured;
    const meanR2 = nRemoved > 0 ? sum / nRemoved : 1;
    return {
      nMerges,
      nKept,
      nRemoved,
      meanR2: measured ? meanR2 : null,
      largest,
      groups,
      groupOf,
      role,
      r2: replay.r2,
      isRun,
    };
  }

  /** Every level in one pass, thinned out to about so many points. */
  curve(nPoints: number): Level[] {
    const replay = new Replay(this.view, this.nFeatures);
    const all = this.nFeatures - this.view.leftOut.length;
    const every = Math.max(1, Math.floor(this.nLevels / nPoints));
    const points: Level[] = [];
    for (let m = 0; m < this.nLevels; ++m) {
      if (m > 0) replay.merge(m - 1);
      if (m % every !== 0 && m !== this.nLevels - 1) continue;
      const meanR2 = replay.nRemoved > 0 ? replay.sum / replay.nRemoved : 1;
      points.push({
        nMerges: m,
        nKept: all - replay.nRemoved,
        meanR2: m <= this.view.tree.nMeasured ? meanR2 : null,
        largest: replay.largest,
      });
    }
    return points;
  }

  private replayed(nMerges: number): Replay {
    const replay = new Replay(this.view, this.nFeatures);
    for (let m = 0; m < nMerges; ++m) replay.merge(m);
    return replay;
  }
}
