// The page of `sfg report`: reads its data and puts the parts together.
import { aboutPanel } from "./about_panel";
import { anglePanel } from "./angle_panel";
import { readData } from "./data";
import { counted, el } from "./dom";
import { groupPanel } from "./group_panel";
import { imagePanel } from "./image_panel";
import { judgedPanel } from "./judged_panel";
import { levelPanel } from "./level_panel";
import { scorePanel } from "./score_panel";
import { searchBox } from "./search";
import { Store } from "./state";
import { themeButton } from "./theme";

/** The open feature comes into view, where it is not beside what was clicked. */
function showDetail(): void {
  document.getElementById("group-detail")?.scrollIntoView({ block: "nearest" });
  document.getElementById("group-title")?.focus({ preventScroll: true });
}

async function start(app: HTMLElement): Promise<void> {
  const data = await readData(document.getElementById("data")?.textContent ?? "");
  document.title = `${data.title} – sfg report`;
  const store = new Store(data);
  const head = el(
    "header",
    {},
    el(
      "div",
      {},
      el("h1", {}, data.title),
      el(
        "p",
        {},
        `${counted(data.nSamples, "sample")}, ${counted(data.nFeatures, "feature")}: which repeat each other, and what is left`,
      ),
    ),
    el("div", { class: "tools" }, searchBox(store, showDetail), themeButton()),
  );
  app.replaceChildren(
    head,
    el(
      "main",
      {},
      levelPanel(store),
      judgedPanel(store),
      groupPanel(store),
      ...(data.image ? [imagePanel(store, data.image, showDetail)] : []),
      anglePanel(store),
      ...(data.scores ? [scorePanel(data.scores)] : []),
      aboutPanel(store),
    ),
  );
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
