// What the tests share: the program, a browser, a page that must stay silent.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const kHere = dirname(fileURLToPath(import.meta.url));
export const kProgram = process.env.SFG_PROGRAM ?? join(kHere, "../../sfg");
export const kData = process.env.SFG_TEST_DATA_FOLDER ?? "";
export const kBrowser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

/** Runs sfg in a folder; its standard output. */
export function sfgIn(folder, ...words) {
  const options = { encoding: "utf8", maxBuffer: 1 << 28, cwd: folder };
  return execFileSync(kProgram, words.map(String), options);
}

export function sfg(...words) {
  return sfgIn(undefined, ...words);
}

export function sfgJson(...words) {
  return JSON.parse(sfg(...words, "--json"));
}

/** A folder that is gone after the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "sfg-page-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A data set of the paper, or null (and the test is skipped) where it is not there. */
export function dataSet(t, name) {
  const path = join(kData, name);
  if (kData !== "" && existsSync(path)) return path;
  t.skip(`${name} is not there`);
  return null;
}

let browser = null;

export async function closeBrowser() {
  await browser?.close();
}

/** Opens a file from disk. Any message, error or request fails the test at its end. */
export async function open(t, path, options = {}, hash = "") {
  browser ??= await chromium.launch({ executablePath: kBrowser, args: ["--no-sandbox"] });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    offline: true,
    ...options,
  });
  const page = await context.newPage();
  const address = pathToFileURL(path).href;
  const faults = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && url !== address) faults.push(`request: ${url}`);
  });
  await page.goto(address + hash);
  await page.waitForSelector("#app:not([aria-busy])");
  t.after(() => context.close());
  return { page, faults };
}

/** Two frames later everything that the last event asked for is drawn. */
export async function drawn(page) {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
}

export async function setLevel(page, value) {
  await page.fill("#level-number", String(value));
  await page.press("#level-number", "Enter");
  await drawn(page);
}

/** A number of the page: "1,024" is 1024. */
export async function number(page, selector) {
  return Number((await page.textContent(selector)).replaceAll(",", ""));
}

/** Planted data with copies and sums, and their report. */
export function plantedReport(t, ...words) {
  const place = folder(t);
  const data = join(place, "planted.csv");
  const page = join(place, "page.html");
  sfg("synth", "--samples", 60, "--features", 200, "--seed", 3, "-o", data);
  sfg("report", data, "-o", page, ...words);
  return { data, page };
}

/**
 * Noisy copies of a few columns, too far from them to be near-copies, and their report; with a
 * column of classes if the words ask for labels.
 */
export function mixtureReport(t, words = [], nameOf = (j) => `m${j}`) {
  const place = folder(t);
  const data = join(place, "mixtures.csv");
  const page = join(place, "page.html");
  let state = 1;
  const noise = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647 - 0.5;
  };
  const hasClass = words.includes("--labels");
  const names = Array.from({ length: 60 }, (_, j) => nameOf(j));
  const lines = [[...names, ...(hasClass ? ["class"] : [])].join(",")];
  for (let i = 0; i < 80; ++i) {
    const sources = Array.from({ length: 6 }, noise);
    const row = Array.from({ length: 60 }, (_, j) => sources[j % 6] + 0.3 * noise());
    const cells = row.map((one) => one.toFixed(6));
    lines.push([...cells, ...(hasClass ? [i % 2 === 0 ? "even" : "odd"] : [])].join(","));
  }
  writeFileSync(data, `${lines.join("\n")}\n`);
  sfg("report", data, "-o", page, ...words);
  return { data, page };
}
