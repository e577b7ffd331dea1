// One group: why, what the values look like, who could be swapped, its members and its graph.
import { counted, decimals, el } from "./dom";
import { explanation, heldOutOf } from "./explain";
import { groupPlots } from "./group_plots";
import { nameButton, nameInText } from "./names";
import { kindOf } from "./reasons";
import type { State, Store } from "./state";
import { Subgraph } from "./subgraph";
import { type Column, SortedTable } from "./table";

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
      cell: (row) => nameButton(row.name, () => store.open(row.feature)),
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

/** "x7 could be kept instead: the others would have a mean r² of 0.91 instead of 0.93." */
function swap(state: State, representative: number, open: (feature: number) => void): HTMLElement {
  const line = el("p", { id: "swap" });
  const { standIns } = state.view;
  const place = state.cut.isRun ? standIns.kept.indexOf(representative) : -1;
  line.hidden = place < 0;
  if (place < 0) return line;
  const feature = standIns.features[place];
  const nOthers = state.cut.groups[state.cut.groupOf[representative]].members.length - 2;
  const cost =
    nOthers > 0
      ? `; the others would have a mean r² of ${decimals(standIns.meanR2Instead[place])} with it instead of ${decimals(standIns.meanR2[place])}`
      : "";
  line.append(
    "Swap: ",
    nameButton(state.data.names[feature], () => open(feature)),
    ` could be kept instead (r² ${decimals(standIns.r2[place])})${cost}.`,
  );
  return line;
}

export class GroupDetail {
  readonly element = el("div", { class: "detail", id: "group-detail" });
  private readonly title = el("h3", { id: "group-title", tabindex: -1 });
  private readonly why = el("div");
  private readonly members: SortedTable<Member>;
  private readonly subgraph: Subgraph;
  private readonly graph: HTMLElement;
  private readonly hint = el(
    "p",
    { class: "hint" },
    "Choose a feature on the map, or search one, to see what stands for it.",
  );
  private readonly content: HTMLElement;

  constructor(private readonly store: Store) {
    this.members = new SortedTable<Member>("members", memberColumns(store), {
      sortBy: 2,
      perPage: 10,
    });
    this.subgraph = new Subgraph(store);
    this.graph = el(
      "details",
      { id: "subgraph-box" },
      el("summary", {}, "The graph inside this group"),
      this.subgraph.element,
    );
    this.content = el("div", {}, this.title, this.why, this.members.element, this.graph);
    this.element.append(this.hint, this.content);
  }

  show(state: State): void {
    const feature = state.open;
    const closed = feature === null;
    this.hint.hidden = !closed;
    this.content.hidden = closed;
    if (closed) return;
    const open = (other: number): void => this.store.open(other);
    const group = state.cut.groups[state.cut.groupOf[feature]];
    const hasMembers = group !== undefined && group.members.length > 1;
    const hasGraph = state.view.graph.neighbours.length > 0;
    this.why.replaceChildren(explanation(state, feature, open), groupPlots(state, feature));
    if (group) this.why.append(swap(state, group.representative, open));
    this.graph.hidden = !hasMembers || !hasGraph;
    this.members.element.hidden = !hasMembers;
    if (!group) {
      this.title.textContent = "Not in any group";
      return;
    }
    this.title.textContent = `Group of ${nameInText(state.data.names[group.representative])}: ${counted(group.members.length, "member")}`;
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
