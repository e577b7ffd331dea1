// The answer: what can go and what that loses, in words, in a few numbers, and at other levels.
import type { View } from "./data";
import { counted, decimals, el, percent, whole } from "./dom";
import { LevelControl, commandFor, download } from "./level_control";
import { type Measure, heldOut, isAsked, lossRatio, neighboursKept, verdictOf } from "./measures";
import type { State, Store } from "./state";

const kTitles: Record<View["grouping"], string> = {
  compact: "Compact groups",
  cover: "Cover",
  components: "The paper's groups (θ)",
};

/** A number with a word of explanation. */
class Card {
  private readonly value: HTMLElement;
  private readonly note = el("span", { class: "note" });
  readonly box: HTMLElement;

  constructor(id: string, title: string, kind: string) {
    this.value = el("strong", { id });
    const name = el("span", { class: "title" });
    if (kind !== "") name.append(el("i", { class: `dot ${kind}` }));
    name.append(title);
    this.box = el("div", { class: "card" }, name, this.value, this.note);
  }

  show({ text, note }: Measure, isThere = true): void {
    this.value.textContent = text;
    this.note.textContent = note;
    this.box.hidden = !isThere;
  }
}

function keptMeasure({ cut, data, view }: State): Measure {
  const back = cut.isRun ? view.run.nRescued : 0;
  const unshared = view.counts.unsharedKept;
  const notes = [`${percent(cut.nKept, data.nFeatures)} of ${whole(data.nFeatures)}`];
  if (back > 0) notes.push(`${whole(back)} because nothing explains them`);
  if (unshared > 0) notes.push(`${whole(unshared)} share nothing with the others`);
  return { text: whole(cut.nKept), note: notes.join("; ") };
}

function tabsOf(store: Store): HTMLElement {
  const tabs = el("div", { class: "tabs", role: "group", "aria-label": "Grouping" });
  const order: View["grouping"][] = ["compact", "cover", "components"];
  for (const grouping of order) {
    if (!store.state.data.views.some((view) => view.grouping === grouping)) continue;
    tabs.append(
      el(
        "button",
        { type: "button", "data-grouping": grouping, onclick: () => store.showGrouping(grouping) },
        kTitles[grouping],
      ),
    );
  }
  return tabs;
}

/** The features as one bar, cut into what became of them. */
function showShares(bar: HTMLElement, { cut, view, data }: State): void {
  const { counts } = view;
  const parts: [kind: string, count: number][] = [
    ["kept", cut.nKept],
    ["redundant", cut.nRemoved],
    ["exact", counts.exact],
    ["unshared", counts.unsharedDropped],
    ["constant", counts.noVariation],
  ];
  bar.replaceChildren(
    ...parts
      .filter(([, count]) => count > 0)
      .map(([kind, count]) =>
        el("span", { class: kind, style: `flex-grow: ${count / data.nFeatures}` }),
      ),
  );
}

export function answerPanel(store: Store): HTMLElement {
  const verdict = el("p", { id: "verdict" });
  const bar = el("div", { class: "shares", "aria-hidden": "true" });
  const kept = new Card("kept", "kept", "kept");
  const redundant = new Card("redundant", "redundant", "redundant");
  const exact = new Card("exact", "exact sums", "exact");
  const unshared = new Card("unshared", "unshared", "unshared");
  const neighbours = new Card("neighbours", "neighbours kept", "");
  const groups = new Card("groups", "groups of two or more", "");
  const r2 = new Card("mean-r2", "mean r² with the substitute", "");
  const predicted = new Card("held-out", "held-out R²", "");
  const loss = new Card("loss", "loss ratio", "");
  const control = new LevelControl(store);
  const command = el("code", { id: "command" });
  const commandNote = el(
    "p",
    { class: "note", id: "command-note" },
    "The command puts exact sums and features that share nothing into groups again: it may keep other ones than this level. Save these to keep them.",
  );
  const tabs = tabsOf(store);

  store.listen((state, change) => {
    if (change !== "level") return;
    const { cut, view } = state;
    for (const tab of tabs.querySelectorAll("button")) {
      tab.setAttribute("aria-pressed", String(tab.dataset["grouping"] === view.grouping));
    }
    verdict.textContent = verdictOf(state);
    showShares(bar, state);
    kept.show(keptMeasure(state));
    redundant.show({ text: whole(cut.nRemoved), note: "a kept feature stands for each of them" });
    exact.show(
      { text: whole(view.counts.exact), note: "sums of others but for rounding; removed" },
      view.counts.exact > 0,
    );
    unshared.show(
      {
        text: whole(view.counts.unsharedDropped),
        note: "nothing in the table knows them: noise, or unique; removed",
      },
      view.counts.unsharedDropped > 0,
    );
    neighbours.show(neighboursKept(state));
    groups.show({
      text: whole(cut.groups.filter((one) => one.members.length > 1).length),
      note: `the largest has ${counted(cut.largest, "member")}`,
    });
    r2.show({
      text: decimals(cut.meanR2),
      note:
        cut.meanR2 === null
          ? "not in this page for so coarse a level"
          : cut.nRemoved === 0
            ? "nothing has a substitute"
            : "of removed features, each with the one kept instead",
    });
    predicted.show(heldOut(state));
    loss.show(lossRatio(state), view.judged.levels.length > 0);
    command.textContent = commandFor(state);
    command.hidden = state.data.inputWords === "";
    commandNote.hidden =
      command.hidden || cut.isRun || view.grouping === "components" || isAsked(state);
    control.show(state);
  });

  return el(
    "section",
    { id: "answer", "aria-labelledby": "verdict" },
    verdict,
    bar,
    el(
      "div",
      { class: "cards large", "aria-live": "polite" },
      kept.box,
      redundant.box,
      exact.box,
      unshared.box,
      neighbours.box,
    ),
    el("div", { class: "level" }, tabs, control.box),
    el("div", { class: "cards" }, predicted.box, loss.box, r2.box, groups.box),
    el(
      "p",
      { class: "command" },
      command,
      " ",
      el(
        "button",
        { type: "button", id: "download", onclick: () => download(store.state) },
        "Save kept features",
      ),
    ),
    commandNote,
  );
}
