// The data of the page as sfg wrote them (src/report/page_document.cpp).

export interface Graph {
  starts: Uint32Array;
  neighbours: Uint32Array;
  weights: Float32Array;
  angle: Float32Array;
  failed: Uint8Array;
}

/** A hierarchy to be replayed merge by merge; groups are named by their lowest member. */
export interface Tree {
  a: Uint32Array;
  b: Uint32Array;
  /** Weights of the edges, of the paper's groups: their threshold is compared with these. */
  height?: Float64Array;
  representative: Uint32Array;
  r2: Uint16Array;
  nMeasured: number;
}

/** Cover: picks, and for each feature the places of those that came nearer and nearer to it. */
export interface PickLists {
  picks: Uint32Array;
  starts: Uint32Array;
  places: Uint32Array;
  r2: Uint16Array;
}

/** A level that the automatic choice has judged. */
export interface JudgedLevel {
  nSteps: number;
  nKept: number;
  overlap: number;
  lossRatio: number | null;
  meanR2: number | null;
  good: boolean;
}

export interface Judged {
  /** From fine to coarse. */
  levels: JudgedLevel[];
  minOverlap: number;
  maxLossRatio: number;
}

/** Removed features of the run, with the combinations of kept ones that explain them. */
export interface Removed {
  features: Uint32Array;
  heldOut: Float32Array;
  starts: Uint32Array;
  terms: Uint32Array;
  coefficients: Float32Array;
  intercepts: Float32Array;
  r2: Float32Array;
  /** With the feature that is kept instead. */
  substituteR2: Float32Array;
  /** Why each was removed, as a place among `reasons`. */
  reason: Uint8Array;
  reasons: string[];
  /** What is known of each without having it, as a place among `kinds`. */
  kind: Uint8Array;
  kinds: string[];
}

export interface HeldOut {
  n: number;
  mean: number;
  quantile10: number;
  quantile95: number;
  share50: number;
  share80: number;
}

/** Exact sums that were found, in units of the data. */
export interface Equations {
  features: Uint32Array;
  starts: Uint32Array;
  terms: Uint32Array;
  coefficients: Float64Array;
  intercepts: Float64Array;
  /** What each gives for the samples that are shown, as Values.codes. */
  codes: Uint8Array;
}

/** Who could be kept instead of a kept feature, and what the swap costs its group. */
export interface StandIns {
  kept: Uint32Array;
  features: Uint32Array;
  r2: Float32Array;
  meanR2: Float32Array;
  meanR2Instead: Float32Array;
}

/** How many features became what, as the verdict counts them. */
export interface Counts {
  kept: number;
  redundant: number;
  exact: number;
  unsharedDropped: number;
  unsharedKept: number;
  noVariation: number;
}

export interface RunOutcome {
  /** Merges, or picks of cover. */
  nSteps: number;
  theta: number | null;
  nKept: number;
  meanR2: number;
  /** Features that came back since nothing explains them. */
  nRescued: number;
  /** Who stands for each feature. */
  owner: Uint32Array;
  removed: Removed;
  certificate: {
    all: boolean;
    removed: HeldOut;
    permuted: HeldOut;
    permutedR2: Float32Array;
  } | null;
  neighbourOverlap: number;
  seconds: [string, number][];
}

export interface View {
  grouping: "compact" | "cover" | "components";
  method: string;
  rule: string;
  graph: Graph;
  /** Of compact groups and components. */
  tree?: Tree;
  /** Of cover. */
  picks?: PickLists;
  judged: Judged;
  leftOut: Uint32Array;
  protected: Uint32Array;
  run: RunOutcome;
  /** The answer in plain words, as the command line gives it. */
  verdict: string;
  counts: Counts;
  /** Features that share nothing with the others, kept or removed. */
  unshared: Uint32Array;
  equations: Equations;
  standIns: StandIns;
  weightRange?: [number, number];
  maxAngle?: number;
  permuted?: Float32Array;
}

/** Values of some samples: 0 is the lowest of a feature, 254 its highest, 255 stands for none. */
export interface Values {
  nPoints: number;
  low: Float32Array;
  high: Float32Array;
  /** Feature after feature. */
  codes: Uint8Array;
  classes?: { name: string; names: string[]; codes: Uint8Array };
}

export interface PixelImage {
  height: number;
  width: number;
  order: "columns" | "rows";
  mean: Uint8Array;
}

export interface Score {
  nmi: number;
  nmiStd: number;
  acc: number;
  accStd: number;
}

/** One column of the paper's tables: what is left at a theta, and how well it clusters. */
export interface ScoreColumn {
  theta: number | null;
  nKept: number;
  spectral: Score | null;
  selections: (Score | null)[];
}

export interface ScoreTable {
  grouping: string;
  columns: ScoreColumn[];
}

export interface Scores {
  sizes: number[];
  nSeeds: number;
  tables: ScoreTable[];
}

export interface PageData {
  version: string;
  title: string;
  created: string;
  /** Words of the command line: the file and how to read it, and how to group. */
  inputWords: string;
  groupWords: string;
  nSamples: number;
  nFeatures: number;
  names: string[];
  views: View[];
  /** Known classes of the samples. */
  labels?: { name: string; nClasses: number };
  values?: Values;
  means?: Float32Array;
  image?: PixelImage;
  scores?: Scores;
}

type Place = { type: string; at: number; length: number };

function isPlace(value: unknown): value is Place {
  return typeof value === "object" && value !== null && "at" in value && "type" in value;
}

const kSizes: Record<string, number> = { u8: 1, u16: 2, u32: 4, f32: 4, f64: 8 };

/** All first bytes come before all second bytes. */
function arrayAt(
  buffer: ArrayBuffer,
  start: number,
  { type, at, length }: Place,
): ArrayLike<number> {
  const size = kSizes[type] ?? 1;
  const planes = new Uint8Array(buffer, start + at, size * length);
  const bytes = new Uint8Array(size * length);
  for (let byte = 0, from = 0; byte < size; ++byte) {
    for (let k = byte; k < bytes.length; k += size) bytes[k] = planes[from++];
  }
  switch (type) {
    case "u8":
      return bytes;
    case "u16":
      return new Uint16Array(bytes.buffer);
    case "u32":
      return new Uint32Array(bytes.buffer);
    case "f32":
      return new Float32Array(bytes.buffer);
    default:
      return new Float64Array(bytes.buffer);
  }
}

/** Puts the arrays into the places of the document that stand for them. */
function withArrays(value: unknown, buffer: ArrayBuffer, start: number): unknown {
  if (isPlace(value)) return arrayAt(buffer, start, value);
  if (Array.isArray(value)) {
    if (typeof value[0] === "string") return value;
    return value.map((one) => withArrays(one, buffer, start));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, withArrays(one, buffer, start)]),
    );
  }
  return value;
}

async function unpacked(base64: string): Promise<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Eight bytes with the length of the document, the document, the arrays. */
export async function readData(base64: string): Promise<PageData> {
  const buffer = await unpacked(base64);
  const kHead = 8;
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const document: unknown = JSON.parse(
    new TextDecoder().decode(new Uint8Array(buffer, kHead, length)),
  );
  return withArrays(document, buffer, kHead + length) as PageData;
}
