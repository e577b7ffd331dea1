// Removed features as sums of kept ones, in units of the data: exact ones, and those that nearly are.
import { decimals, el, exactDigits, section, significant, whole } from "./dom";
import { type Term, formula } from "./explain";
import type { State, Store } from "./state";
import { type Column, SortedTable } from "./table";
import { nameButton } from "./names";

interface Row {
  feature: number;
  name: string;
  terms: Term[];
  intercept: number;
  exact: boolean;
  /** Of the samples that it was fitted on. */
  r2: number;
}

function termsAt(
  lists: { starts: Uint32Array; terms: Uint32Array; coefficients: ArrayLike<number> },
  place: number,
): Term[] {
  const terms: Term[] = [];
  for (let k = lists.starts[place]; k < lists.starts[place + 1]; ++k) {
    terms.push({ feature: lists.terms[k], weight: lists.coefficients[k] });
  }
  return terms;
}

function rowsOf({ data, view }: State): Row[] {
  const { equations, run } = view;
  const exact = [...equations.features].map((feature, k) => ({
    feature,
    name: data.names[feature],
    terms: termsAt(equations, k),
    intercept: equations.intercepts[k],
    exact: true,
    r2: 1,
  }));
  const known = new Set(equations.features);
  const { removed } = run;
  const others = [...removed.features]
    .map((feature, k) => ({
      feature,
      name: data.names[feature],
      terms: termsAt(removed, k),
      intercept: removed.intercepts[k],
      exact: false,
      r2: removed.r2[k],
    }))
    .filter((row) => row.terms.length > 0 && !known.has(row.feature));
  return [...exact, ...others];
}

function columns(store: Store, open: (feature: number) => void): Column<Row>[] {
  return [
    {
      title: "Feature",
      key: (row) => row.name,
      cell: (row) => nameButton(row.name, () => open(row.feature)),
    },
    {
      title: "is",
      key: (row) => row.terms.length,
      cell: (row) =>
        formula(store.state, row.terms, row.intercept, open, row.exact ? exactDigits : significant),
    },
    {
      title: "R²",
      key: (row) => (row.exact ? 2 : row.r2),
      cell: (row) => (row.exact ? "exact" : decimals(row.r2)),
      falling: true,
    },
  ];
}

export function equationsPanel(store: Store, opened: () => void): HTMLElement {
  const open = (feature: number): void => {
    store.open(feature);
    opened();
  };
  const filter = el("input", {
    type: "search",
    id: "equation-filter",
    placeholder: "Filter by feature",
    "aria-label": "Filter equations by a feature's name",
  });
  const table = new SortedTable<Row>("equations", columns(store, open), { sortBy: 2, perPage: 12 });
  const text = el("p", { class: "lead" });
  const panel = section(
    "equations-panel",
    "Removed features from kept ones",
    text,
    el("div", { class: "filters" }, filter),
    table.element,
  );
  let rows: Row[] = [];
  const fill = (): void => {
    const query = filter.value.trim().toLowerCase();
    const { names } = store.state.data;
    const has = (feature: number): boolean => names[feature].toLowerCase().includes(query);
    table.show(rows.filter((row) => has(row.feature) || row.terms.some((one) => has(one.feature))));
  };
  filter.addEventListener("input", fill);
  let shown: unknown = null;
  store.listen((state) => {
    if (shown === state.view) return;
    shown = state.view;
    rows = rowsOf(state);
    panel.hidden = rows.length === 0;
    const nExact = state.view.equations.features.length;
    const exact =
      nExact === 0
        ? ""
        : `${whole(nExact)} ${nExact === 1 ? "is an exact sum" : "are exact sums"} of others, but for rounding. `;
    const rest =
      rows.length === nExact
        ? ""
        : `${exact === "" ? "These are" : "The rest are"} the best short sums of kept features, with the share of the variance that they explain on these samples.`;
    text.textContent = `In units of the data. ${exact}${rest}`;
    fill();
  });
  return panel;
}
