// The page of `sfg report`: reads its data and puts the parts together.
import { aboutPanel } from "./about_panel";
import { anglePanel } from "./angle_panel";
import { answerPanel } from "./answer_panel";
import { type PageData, readData } from "./data";
import { counted, el } from "./dom";
import { equationsPanel } from "./equations_panel";
import { Address, restore } from "./fragment";
import { GroupPanel } from "./group_panel";
import { imagePanel } from "./image_panel";
import { levelsPanel } from "./levels_panel";
import { lossPanel } from "./loss_panel";
import { axisOf, shortName } from "./names";
import { scorePanel } from "./score_panel";
import { searchBox } from "./search";
import { spectrumPanel } from "./spectrum_panel";
import { Store } from "./state";
import { Tapped } from "./tapped";
import { ThemeChoice } from "./theme";

/** The features as what they are a picture of, if of anything. */
function pictures(store: Store, data: PageData, opened: () => void): HTMLElement[] {
  if (data.image) return [imagePanel(store, data.image, opened)];
  const at = data.means ? axisOf(data.names) : null;
  return at && data.means ? [spectrumPanel(store, at, data.means, opened)] : [];
}

const kLongestTitle = 300;

function heading(data: PageData, ...tools: HTMLElement[]): HTMLElement {
  const size = `${counted(data.nSamples, "sample")}, ${counted(data.nFeatures, "feature")}`;
  return el(
    "header",
    {},
    el(
      "div",
      {},
      el("h1", { dir: "auto" }, shortName(data.title, kLongestTitle)),
      el("p", {}, size),
    ),
    el("div", { class: "tools" }, ...tools),
  );
}

async function start(app: HTMLElement): Promise<void> {
  const data = await readData(document.getElementById("data")?.textContent ?? "");
  document.title = `${shortName(data.title)} – sfg report`;
  const store = new Store(data);
  let address: Address | null = null;
  const theme = new ThemeChoice(() => address?.changed());
  restore(store, theme);
  const tapped = new Tapped(store);
  const opened = (): void => tapped.opened();
  const groups = new GroupPanel(store, opened);
  const search = searchBox(
    store,
    () => tapped.lead(),
    (found) => groups.map.highlight(found),
  );
  app.replaceChildren(
    heading(data, search, theme.button),
    el(
      "main",
      {},
      answerPanel(store),
      groups.element,
      ...pictures(store, data, opened),
      lossPanel(store, opened),
      levelsPanel(store),
      equationsPanel(store, opened),
      anglePanel(store),
      ...(data.scores ? [scorePanel(data.scores)] : []),
      aboutPanel(store),
    ),
    tapped.element,
  );
  address = new Address(store, theme);
  app.removeAttribute("aria-busy");
}

const app = document.getElementById("app");
if (app) {
  start(app).catch((error: unknown) => {
    app.replaceChildren(
      el("p", { class: "loading" }, `The page could not be drawn: ${String(error)}`),
    );
    throw error;
  });
}
