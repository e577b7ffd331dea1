// What is said about a level, in words and numbers: those of the program where it has judged it.
import type { JudgedLevel, View } from "./data";
import { decimals, whole, wholePercent } from "./dom";
import type { State } from "./state";

/** A number and how far it can be trusted. */
export interface Measure {
  text: string;
  note: string;
}

/** The judged levels that a level is, or lies between. */
export function judgedAround({ cut, view }: State): JudgedLevel[] {
  const { levels } = view.judged;
  const same = levels.find((level) => level.nSteps === cut.nSteps);
  if (same) return [same];
  const finer = levels.filter((level) => level.nKept > cut.nKept).at(-1);
  const coarser = levels.find((level) => level.nKept < cut.nKept);
  return finer && coarser ? [finer, coarser] : [];
}

/** One value, or the two that it lies between, smaller first. */
function between(values: (number | null)[], text: (value: number) => string): string {
  const known = values.filter((one): one is number => one !== null).sort((x, y) => x - y);
  if (known.length === 0 || known.length < values.length) return "–";
  const [low, high] = [text(known[0]), text(known[known.length - 1])];
  return low === high ? low : `${low}–${high}`;
}

function whereFrom(levels: JudgedLevel[]): string {
  if (levels.length === 0) return "not measured at this level";
  if (levels.length === 1) return "";
  return `at the levels with ${whole(levels[0].nKept)} and ${whole(levels[1].nKept)} features, which were tried`;
}

export function neighboursKept(state: State): Measure {
  const meaning = "of each sample's 10 nearest stay the nearest";
  if (state.cut.isRun) {
    return { text: `${wholePercent(state.view.run.neighbourOverlap)} %`, note: meaning };
  }
  const levels = judgedAround(state);
  const shares = between(
    levels.map((level) => level.overlap),
    wholePercent,
  );
  const text = shares === "–" ? shares : `${shares} %`;
  const from = whereFrom(levels);
  const joined = from === "" ? `${meaning}, by the features in groups` : `${meaning}, ${from}`;
  return { text, note: levels.length === 0 ? from : joined };
}

export function heldOut(state: State): Measure {
  const certificate = state.cut.isRun ? state.view.run.certificate : null;
  if (certificate) {
    return {
      text: decimals(certificate.removed.mean),
      note: `a tenth below ${decimals(certificate.removed.quantile10)}; by chance 95 % are below ${decimals(certificate.permuted.quantile95)}`,
    };
  }
  const levels = judgedAround(state);
  const text = between(
    levels.map((level) => level.meanR2),
    (value) => decimals(value),
  );
  if (text === "–") {
    return {
      text,
      note: state.cut.isRun
        ? "not tested: too few samples, or nothing removed"
        : "not measured at this level",
    };
  }
  return { text, note: `each sample predicted by the others${comma(whereFrom(levels))}` };
}

function comma(text: string): string {
  return text === "" ? "" : `, ${text}`;
}

export function lossRatio(state: State): Measure {
  const levels = judgedAround(state);
  const text = between(
    levels.map((level) => level.lossRatio),
    (value) => decimals(value, 2),
  );
  const meaning = "what the kept leave unexplained, over what all features leave; 1 is no loss";
  return {
    text,
    note: text === "–" ? "not measured at this level" : `${meaning}${comma(whereFrom(levels))}`,
  };
}

function plural(count: number, one: string, many: string): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

/** "A, B and C" */
function listed(parts: string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

/** Whether --n-features gives this very level: only the automatic level sets features apart. */
export function isAsked({ view }: State): boolean {
  return view.counts.exact === 0 && view.counts.unsharedKept === 0;
}

function promise(state: State): string {
  const { cut, theta, view } = state;
  if (view.grouping !== "components") return isAsked(state) ? ", as many as were asked for" : "";
  const who = view.protected.length > 0 ? "at least one" : "one";
  return theta === null
    ? `, ${who} of each group at a weight of ${view.tree?.height?.[cut.nSteps] ?? 0}`
    : `, ${who} of each group at theta ${theta}`;
}

function leftOutParts({ counts }: View): string[] {
  const parts: string[] = [];
  if (counts.exact > 0) {
    parts.push(plural(counts.exact, "is an exact sum of others", "are exact sums of others"));
  }
  if (counts.unsharedDropped > 0) {
    const shares = counts.unsharedDropped === 1 ? "shares" : "share";
    parts.push(
      `${whole(counts.unsharedDropped)} ${shares} nothing with the others (noise, or unique)`,
    );
  }
  if (counts.noVariation > 0) parts.push(plural(counts.noVariation, "never varies", "never vary"));
  return parts;
}

/** The answer in plain words: the program's at the level of the run, else as it would say it. */
export function verdictOf(state: State): string {
  const { cut, data, view } = state;
  if (cut.isRun) return view.verdict;
  const parts: string[] = [];
  if (cut.nRemoved > 0) {
    const r2 = cut.meanR2 === null ? "" : ` (mean r2 ${decimals(cut.meanR2, 2)})`;
    parts.push(`${plural(cut.nRemoved, "has", "have")} a substitute among them${r2}`);
  }
  parts.push(...leftOutParts(view));
  const went = parts.length > 0 ? ` ${listed(parts)}.` : "";
  return `${whole(data.nFeatures)} features: ${plural(cut.nKept, "is", "are")} kept${promise(state)}.${went}`;
}
