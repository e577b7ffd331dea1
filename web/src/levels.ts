// A hierarchy cut at any level, in the page: the same groups as the program makes.
import type { View } from "./data";

/** The page holds r2 in steps of this part of 1. */
export const kR2Steps = 65535;

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
  /** Merges or picks. */
  nSteps: number;
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
  nSteps: number;
  nGroups: number;
  nKept: number;
  meanR2: number | null;
  largest: number;
}

/** Who stands for each feature at a level, itself if nobody else does, and their r2. */
export interface Owners {
  owner: Int32Array;
  r2: Float32Array;
  /** Whether all of these r2 are in the page. */
  measured: boolean;
}

/** All levels of a view. What a step is, and who owns whom after so many, the groupings know. */
export abstract class Levels {
  protected readonly leftOut: Uint8Array;
  /** Features that are not left out. */
  protected readonly nTaken: number;

  constructor(
    readonly view: View,
    readonly nFeatures: number,
  ) {
    this.leftOut = new Uint8Array(nFeatures);
    for (const feature of view.leftOut) this.leftOut[feature] = 1;
    this.nTaken = nFeatures - view.leftOut.length;
  }

  abstract readonly fewestGroups: number;
  abstract readonly mostGroups: number;
  abstract hasSteps(nSteps: number): boolean;
  abstract groupsAfter(nSteps: number): number;
  /** Steps that leave so many groups, or as near to it as the hierarchy goes. */
  abstract stepsTo(nGroups: number): number;
  /** Every level, thinned out to about so many points. */
  abstract curve(nPoints: number): Level[];
  protected abstract ownersAfter(nSteps: number): Owners;

  cut(nSteps: number): Cut {
    const isRun = nSteps === this.view.run.nSteps;
    const { owner, r2, measured } = isRun ? this.ownersOfRun() : this.ownersAfter(nSteps);
    const n = this.nFeatures;
    const groups: Group[] = [];
    const groupOf = new Int32Array(n).fill(-1);
    const role = new Array<Role>(n).fill("kept");
    const place = new Map<number, number>();
    let nRemoved = 0;
    let sum = 0;
    for (let i = 0; i < n; ++i) {
      if (this.leftOut[i] !== 0) {
        role[i] = "left out";
        continue;
      }
      const representative = owner[i];
      const at = place.get(representative) ?? groups.length;
      if (at === groups.length) {
        place.set(representative, at);
        groups.push({ representative, members: [], meanR2: 0, lowestR2: 1 });
      }
      const group = groups[at];
      group.members.push(i);
      groupOf[i] = at;
      if (i === representative) continue;
      role[i] = "removed";
      role[representative] = "representative";
      group.meanR2 += r2[i];
      group.lowestR2 = Math.min(group.lowestR2, r2[i]);
      sum += r2[i];
      ++nRemoved;
    }
    let largest = 0;
    for (const group of groups) {
      const nOthers = group.members.length - 1;
      group.meanR2 = nOthers > 0 ? group.meanR2 / nOthers : 1;
      largest = Math.max(largest, group.members.length);
    }
    const meanR2 = nRemoved > 0 ? sum / nRemoved : 1;
    return {
      nSteps,
      nKept: groups.length,
      nRemoved,
      meanR2: measured ? meanR2 : null,
      largest,
      groups,
      groupOf,
      role,
      r2,
      isRun,
    };
  }

  /** As the program left it: some features may have come back, or been given up, since the cut. */
  private ownersOfRun(): Owners {
    const { owner, removed } = this.view.run;
    const r2 = new Float32Array(this.nFeatures).fill(1);
    removed.features.forEach((feature, k) => (r2[feature] = removed.substituteR2[k]));
    return { owner: Int32Array.from(owner), r2, measured: true };
  }
}
