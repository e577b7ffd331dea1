// Any feature by its name: a list of matches that keys and pointer can choose from.
import { el } from "./dom";
import { shortName } from "./names";
import type { Store } from "./state";

const kMostMatches = 12;

/** Names that begin with the query come first, then those that contain it. */
export function matches(names: string[], query: string): number[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  const first: number[] = [];
  const later: number[] = [];
  for (let i = 0; i < names.length && first.length < kMostMatches; ++i) {
    const at = names[i].toLowerCase().indexOf(wanted);
    if (at === 0) first.push(i);
    else if (at > 0 && later.length < kMostMatches) later.push(i);
  }
  return [...first, ...later].slice(0, kMostMatches);
}

export function searchBox(
  store: Store,
  opened: () => void,
  searched: (found: number[]) => void,
): HTMLElement {
  const { names } = store.state.data;
  const list = el("ul", { id: "matches", role: "listbox", "aria-label": "Features", hidden: true });
  const input = el("input", {
    type: "search",
    id: "search",
    role: "combobox",
    placeholder: "Search a feature",
    autocomplete: "off",
    "aria-label": "Search a feature",
    "aria-controls": "matches",
    "aria-expanded": "false",
    "aria-autocomplete": "list",
  });
  let found: number[] = [];
  let active = 0;

  const close = (): void => {
    list.hidden = true;
    searched([]);
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (feature: number): void => {
    input.value = shortName(names[feature]);
    close();
    store.open(feature);
    opened();
  };
  const show = (): void => {
    list.replaceChildren(
      ...found.map((feature, k) =>
        el(
          "li",
          {
            id: `match-${k}`,
            role: "option",
            "aria-selected": String(k === active),
            onmousedown: (event) => {
              event.preventDefault();
              choose(feature);
            },
          },
          shortName(names[feature]),
        ),
      ),
    );
    if (found.length === 0 && input.value.trim() !== "") {
      list.replaceChildren(el("li", { class: "none" }, "No feature has such a name"));
    }
    list.hidden = input.value.trim() === "";
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length > 0) input.setAttribute("aria-activedescendant", `match-${active}`);
  };

  input.addEventListener("input", () => {
    found = matches(names, input.value);
    active = 0;
    searched(found);
    show();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close();
    if (event.key === "Enter" && found.length > 0) return choose(found[active]);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || found.length === 0) return;
    event.preventDefault();
    active = (active + step + found.length) % found.length;
    show();
  });
  input.addEventListener("blur", close);
  return el("div", { class: "search" }, input, list);
}
