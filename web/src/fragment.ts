// What the page shows, in its address: a link to it opens the same.
import type { State, Store } from "./state";
import type { Theme, ThemeChoice } from "./theme";

/** Longer names stand in the address as their number. */
const kLongestName = 100;
/** Browsers count how often an address changes. */
const kWait = 300;

function describe(state: State, theme: Theme | null): string {
  const { data, view, cut, open, first } = state;
  const words = new URLSearchParams();
  if (view !== data.views[0]) words.set("groups", view.grouping);
  if (!cut.isRun) {
    if (state.theta !== null) words.set("theta", String(state.theta));
    else words.set("steps", String(cut.nSteps));
  }
  if (open !== null && open !== first) {
    const name = data.names[open];
    words.set(
      ...((name.length > kLongestName ? ["number", String(open)] : ["feature", name]) as [
        string,
        string,
      ]),
    );
  }
  if (theme !== null) words.set("theme", theme);
  return words.toString();
}

function isTheme(word: string | null): word is Theme {
  return word === "light" || word === "dark";
}

function featureOf({ data }: State, words: URLSearchParams): number | null {
  const name = words.get("feature");
  const place = name === null ? Number(words.get("number") ?? -1) : data.names.indexOf(name);
  return Number.isInteger(place) && place >= 0 && place < data.nFeatures ? place : null;
}

/** What does not fit these data is passed over: an address is anybody's text. */
export function restore(store: Store, theme: ThemeChoice): void {
  const words = new URLSearchParams(location.hash.slice(1));
  const chosen = words.get("theme");
  if (isTheme(chosen)) theme.choose(chosen);
  store.showGrouping(words.get("groups") ?? store.state.data.views[0].grouping);
  const theta = Number(words.get("theta") ?? NaN);
  const steps = Number(words.get("steps") ?? NaN);
  if (theta > 0 && theta < 1) store.showTheta(theta);
  else if (Number.isInteger(steps) && store.state.levels.hasSteps(steps)) store.showSteps(steps);
  else if (!store.state.cut.isRun) store.showRun();
  const feature = featureOf(store.state, words);
  if (feature !== null) store.open(feature);
}

/** Writes it down a moment after every change. */
export class Address {
  private waiting: number | undefined;

  constructor(
    private readonly store: Store,
    private readonly theme: ThemeChoice,
  ) {
    store.listen(() => this.changed());
    addEventListener("hashchange", () => restore(store, theme));
  }

  changed(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      const words = describe(this.store.state, this.theme.chosen);
      if (words === location.hash.slice(1)) return;
      history.replaceState(null, "", words === "" ? location.pathname : `#${words}`);
    }, kWait);
  }
}
