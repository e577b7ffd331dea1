// What can go: the features as a map or as a list of groups, and one group beside it.
import { decimals, el, section, whole } from "./dom";
import { MapPicture } from "./feature_map";
import { GroupDetail } from "./group_detail";
import type { Group } from "./levels";
import type { State, Store } from "./state";
import { type Column, SortedTable } from "./table";
import { nameButton } from "./names";

interface Row extends Group {
  name: string;
}

function groupColumns(open: (feature: number) => void): Column<Row>[] {
  return [
    {
      title: "Kept feature",
      key: (row) => row.name,
      cell: (row) => nameButton(row.name, () => open(row.representative)),
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

/** The groups of the level, to sort and to filter. */
class GroupList {
  readonly element: HTMLElement;
  private readonly table: SortedTable<Row>;
  private readonly filter = el("input", {
    type: "search",
    id: "group-filter",
    placeholder: "Filter by member",
    "aria-label": "Filter groups by a member's name",
  });
  private readonly alone = el("input", { type: "checkbox", id: "show-alone" });

  constructor(store: Store, opened: () => void) {
    this.table = new SortedTable<Row>(
      "groups-table",
      groupColumns((feature) => {
        store.open(feature);
        opened();
      }),
      { sortBy: 1, perPage: 15 },
    );
    this.filter.addEventListener("input", () => this.show(store.state));
    this.alone.addEventListener("change", () => this.show(store.state));
    const alone = el("label", {}, this.alone, " also features alone");
    this.element = el(
      "div",
      { id: "group-list" },
      el("div", { class: "filters" }, this.filter, alone),
      this.table.element,
    );
  }

  show(state: State): void {
    const query = this.filter.value.trim().toLowerCase();
    const { names } = state.data;
    const matches = (group: Group): boolean =>
      query === "" || group.members.some((one) => names[one].toLowerCase().includes(query));
    this.table.show(
      state.cut.groups
        .filter((group) => (this.alone.checked || group.members.length > 1) && matches(group))
        .map((group) => ({ ...group, name: names[group.representative] })),
    );
  }
}

export class GroupPanel {
  readonly element: HTMLElement;
  readonly map: MapPicture;

  constructor(store: Store, opened: () => void) {
    this.map = new MapPicture(store, opened);
    const list = new GroupList(store, opened);
    const detail = new GroupDetail(store);
    const parts = { map: this.map.element, list: list.element };
    const buttons = (["map", "list"] as const).map((part) =>
      el(
        "button",
        { type: "button", id: `show-${part}`, onclick: () => show(part) },
        part === "map" ? "Map" : "List of groups",
      ),
    );
    const show = (part: "map" | "list"): void => {
      parts.map.hidden = part !== "map";
      parts.list.hidden = part !== "list";
      for (const button of buttons) {
        button.setAttribute("aria-pressed", String(button.id === `show-${part}`));
      }
    };
    show("map");
    store.listen((state, change) => {
      if (change === "level") list.show(state);
      detail.show(state);
    });
    const tabs = el("div", { class: "tabs", role: "group", "aria-label": "Show" }, ...buttons);
    this.element = section(
      "groups-panel",
      "What can go?",
      el(
        "p",
        { class: "lead" },
        "A bubble is a group of features that say the same: the one in its middle is kept, the others can go. The nearer to the middle, the better it is known.",
      ),
      el(
        "div",
        { class: "columns" },
        el("div", { class: "overview" }, tabs, parts.map, parts.list),
        detail.element,
      ),
    );
  }
}
