// How far it could go: the curve over all levels, and the judged ones as a table.
import type { JudgedLevel, View } from "./data";
import { decimals, el, section, whole } from "./dom";
import { LevelCurve } from "./level_curve";
import type { Store } from "./state";
import { type Column, SortedTable } from "./table";
import { nameButton } from "./names";

type Row = JudgedLevel & { chosen: boolean };

function columns(store: Store): Column<Row>[] {
  return [
    {
      title: "Kept",
      key: (row) => row.nKept,
      cell: (row) => nameButton(whole(row.nKept), () => store.showSteps(row.nSteps)),
      falling: true,
    },
    { title: "Neighbours kept", key: (row) => row.overlap, cell: (row) => decimals(row.overlap) },
    {
      title: "Loss ratio",
      key: (row) => row.lossRatio ?? Infinity,
      cell: (row) => decimals(row.lossRatio),
    },
    {
      title: "Held-out R²",
      key: (row) => row.meanR2 ?? -Infinity,
      cell: (row) => decimals(row.meanR2),
    },
    { title: "Good", key: (row) => Number(row.good), cell: (row) => (row.good ? "yes" : "no") },
    {
      title: "Chosen",
      key: (row) => Number(row.chosen),
      cell: (row) => (row.chosen ? "chosen" : ""),
    },
  ];
}

function rowsOf(view: View): Row[] {
  return view.judged.levels.map((level) => ({
    ...level,
    chosen: level.nSteps === view.run.nSteps,
  }));
}

function reading(view: View): string {
  const rows = rowsOf(view);
  const chosen = rows.find((row) => row.chosen);
  if (!chosen) return "";
  const limits = `A level is good if at least ${decimals(100 * view.judged.minOverlap, 0)} % of the samples' 10 nearest stay, and if the kept features leave about ${view.judged.maxLossRatio} times as much of the removed ones unexplained as all features do, or less.`;
  return rows.some((row) => row.good)
    ? `${limits} The answer is the coarsest good level: ${whole(chosen.nKept)} features.`
    : `${limits} None is, or the data do not allow to judge: only near-copies go, and ${whole(chosen.nKept)} stay.`;
}

export function levelsPanel(store: Store): HTMLElement {
  const curve = new LevelCurve(store);
  const note = el("p", { class: "note", id: "judged-note" });
  const table = new SortedTable<Row>("judged", columns(store), { sortBy: 0, perPage: 12 });
  const judged = el(
    "details",
    { id: "judged-panel" },
    el("summary", {}, "Every level that was tried, as a table"),
    table.element,
  );
  let shown: View | null = null;
  store.listen((state, change) => {
    if (change === "level") curve.show(state);
    const { view } = state;
    if (shown === view) return;
    shown = view;
    judged.hidden = view.judged.levels.length === 0;
    note.textContent = judged.hidden ? "" : reading(view);
    note.hidden = note.textContent === "";
    table.show(rowsOf(view));
  });
  return section(
    "levels-panel",
    "How far could it go?",
    el("p", { class: "lead" }, "Choose a point of the curve to see that level."),
    curve.element,
    note,
    judged,
  );
}
