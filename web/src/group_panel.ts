// The groups of the level as a table, and one of them in detail.
import { counted, decimals, el, section, whole } from "./dom";
import { explanation, heldOutOf } from "./explain";
import type { Group } from "./levels";
import { kindOf } from "./reasons";
import type { State, Store } from "./state";
import { Subgraph } from "./subgraph";
import { type Column, SortedTable } from "./table";

interface Row extends Group {
  name: string;
}

function groupColumns(store: Store): Column<Row>[] {
  return [
    {
      title: "Kept feature",
      key: (row) => row.name,
      cell: (row) =>
        el(
          "button",
          { type: "button", class: "name", onclick: () => store.open(row.representative) },
          row.name,
        ),
    },
    {
      title: "Size",
      key: (row) => row.members.length,
      cell: (row) => whole(row.members.length),
      falling: true,
    },
    { title: "Mean r²", key: (row) => row.meanR2, cell: (row) => decimals(row.meanR2) },
    { title: "Lowest r²", key: (row) => row.lowestR2, cell: (row) => decimals(row.lowestR2) },
  ];
}

interface Member {
  feature: number;
  name: string;
  role: string;
  r2: number;
  heldOut: number | null;
  kind: string;
}

function memberColumns(store: Store): Column<Member>[] {
  return [
    {
      title: "Feature",
      key: (row) => row.name,
      cell: (row) =>
        el(
          "button",
          { type: "button", class: "name", onclick: () => store.open(row.feature) },
          row.name,
        ),
    },
    { title: "Role", key: (row) => row.role, cell: (row) => row.role },
    { title: "r²", key: (row) => row.r2, cell: (row) => decimals(row.r2), falling: true },
    {
      title: "Held-out R²",
      key: (row) => row.heldOut ?? -Infinity,
      cell: (row) => decimals(row.heldOut),
    },
    { title: "Known as", key: (row) => row.kind, cell: (row) => row.kind },
  ];
}

/** One group: members, the open feature's reasons, the graph. */
class GroupDetail {
  readonly element = el("div", { class: "detail", id: "group-detail" });
  private readonly title = el("h3", { id: "group-title", tabindex: -1 });
  private readonly why = el("div");
  private readonly members: SortedTable<Member>;
  private readonly subgraph: Subgraph;
  private readonly hint = el(
    "p",
    { class: "hint" },
    "Choose a group, or search a feature, to see what it is made of.",
  );
  private readonly content: HTMLElement;

  constructor(private readonly store: Store) {
    this.members = new SortedTable<Member>("members", memberColumns(store), {
      sortBy: 2,
      perPage: 12,
    });
    this.subgraph = new Subgraph(store);
    this.content = el("div", {}, this.title, this.why, this.subgraph.element, this.members.element);
    this.element.append(this.hint, this.content);
  }

  show(state: State): void {
    const feature = state.open;
    const closed = feature === null;
    this.hint.hidden = !closed;
    this.content.hidden = closed;
    if (closed) return;
    const open = (other: number): void => this.store.open(other);
    this.why.replaceChildren(explanation(state, feature, open));
    const group = state.cut.groups[state.cut.groupOf[feature]];
    const hasGroup = group !== undefined;
    const hasGraph = state.view.graph.neighbours.length > 0;
    this.subgraph.element.hidden = !hasGroup || !hasGraph;
    this.members.element.hidden = !hasGroup;
    if (!hasGroup) {
      this.title.textContent = "Not in any group";
      return;
    }
    this.title.textContent = `Group of ${state.data.names[group.representative]}: ${counted(group.members.length, "member")}`;
    this.members.show(
      group.members.map((member) => ({
        feature: member,
        name: state.data.names[member],
        role: state.cut.role[member],
        r2: state.cut.r2[member],
        heldOut: state.cut.isRun ? heldOutOf(state, member) : null,
        kind: (state.cut.isRun ? kindOf(state.view, member) : null) ?? "",
      })),
    );
    if (hasGraph) this.subgraph.show(state, feature);
  }
}

export function groupPanel(store: Store): HTMLElement {
  const table = new SortedTable<Row>("groups-table", groupColumns(store), {
    sortBy: 1,
    perPage: 15,
  });
  const filter = el("input", {
    type: "search",
    id: "group-filter",
    placeholder: "Filter by member",
    "aria-label": "Filter groups by a member's name",
  });
  const alone = el("input", { type: "checkbox", id: "show-alone" });
  const detail = new GroupDetail(store);

  const fill = (state: State): void => {
    const query = filter.value.trim().toLowerCase();
    const { names } = state.data;
    const matches = (group: Group): boolean =>
      query === "" || group.members.some((one) => names[one].toLowerCase().includes(query));
    table.show(
      state.cut.groups
        .filter((group) => (alone.checked || group.members.length > 1) && matches(group))
        .map((group) => ({ ...group, name: names[group.representative] })),
    );
  };
  filter.addEventListener("input", () => fill(store.state));
  alone.addEventListener("change", () => fill(store.state));
  store.listen((state, change) => {
    if (change === "level") fill(state);
    detail.show(state);
  });

  return section(
    "groups-panel",
    "Groups",
    el(
      "div",
      { class: "columns" },
      el(
        "div",
        {},
        el("div", { class: "filters" }, filter, el("label", {}, alone, " also features alone")),
        table.element,
      ),
      detail.element,
    ),
  );
}
