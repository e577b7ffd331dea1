// A table that sorts by its headings and shows a page of rows at a time.
import { el, whole } from "./dom";
import { compareNames } from "./names";

export interface Column<Row> {
  title: string;
  key: (row: Row) => string | number;
  cell: (row: Row) => Node | string;
  /** Largest first on the first click. */
  falling?: boolean;
}

export interface TableOptions {
  sortBy: number;
  perPage: number;
}

function compareKeys(x: string | number, y: string | number): number {
  if (typeof x === "string" && typeof y === "string") return compareNames(x, y);
  return x < y ? -1 : x > y ? 1 : 0;
}

export class SortedTable<Row> {
  readonly element: HTMLElement;
  private readonly head = el("tr");
  private readonly body = el("tbody");
  private readonly place = el("span", { class: "place", "aria-live": "polite" });
  private readonly earlier: HTMLButtonElement;
  private readonly later: HTMLButtonElement;
  private rows: Row[] = [];
  private page = 0;
  private sortBy: number;
  private falling: boolean;

  constructor(
    id: string,
    private readonly columns: Column<Row>[],
    private readonly options: TableOptions,
  ) {
    this.sortBy = options.sortBy;
    this.falling = columns[options.sortBy].falling ?? false;
    columns.forEach((column, k) => {
      const button = el("button", { type: "button", onclick: () => this.sort(k) }, column.title);
      this.head.append(el("th", { scope: "col" }, button));
    });
    this.earlier = el("button", { type: "button", onclick: () => this.turn(-1) }, "‹ Previous");
    this.later = el("button", { type: "button", onclick: () => this.turn(1) }, "Next ›");
    const pager = el("div", { class: "pager" }, this.earlier, this.place, this.later);
    const table = el("table", { id }, el("thead", {}, this.head), this.body);
    this.element = el("div", {}, el("div", { class: "scroll" }, table), pager);
  }

  show(rows: Row[]): void {
    this.rows = rows;
    this.page = 0;
    this.order();
  }

  private sort(column: number): void {
    this.falling = column === this.sortBy ? !this.falling : (this.columns[column].falling ?? false);
    this.sortBy = column;
    this.page = 0;
    this.order();
  }

  private turn(by: number): void {
    this.page += by;
    this.fill();
  }

  private order(): void {
    const { key } = this.columns[this.sortBy];
    const sign = this.falling ? -1 : 1;
    this.rows = this.rows
      .map((row, place) => ({ row, place, key: key(row) }))
      .sort((x, y) => sign * compareKeys(x.key, y.key) || x.place - y.place)
      .map((one) => one.row);
    this.fill();
  }

  private fill(): void {
    const { perPage } = this.options;
    const nPages = Math.max(1, Math.ceil(this.rows.length / perPage));
    this.page = Math.min(nPages - 1, Math.max(0, this.page));
    const shown = this.rows.slice(this.page * perPage, (this.page + 1) * perPage);
    this.body.replaceChildren(
      ...shown.map((row) =>
        el("tr", {}, ...this.columns.map((column) => el("td", {}, column.cell(row)))),
      ),
    );
    [...this.head.children].forEach((cell, k) => {
      const order = this.falling ? "descending" : "ascending";
      cell.setAttribute("aria-sort", k === this.sortBy ? order : "none");
    });
    this.place.textContent =
      this.rows.length === 0
        ? "none"
        : `${whole(this.page * perPage + 1)}–${whole(this.page * perPage + shown.length)} of ${whole(this.rows.length)}`;
    this.earlier.disabled = this.page === 0;
    this.later.disabled = this.page === nPages - 1;
  }
}
