// The page in a real browser, against what the program says.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import {
  closeBrowser,
  dataSet,
  drawn,
  folder,
  kBrowser,
  number,
  open,
  plantedReport,
  setLevel,
  sfg,
  sfgIn,
  sfgJson,
} from "./page.mjs";

const kScreenshots = process.env.SFG_SCREENSHOTS ?? "";

const options = { skip: kBrowser ? false : "no Chromium" };
after(closeBrowser);

async function screenshot(page, name) {
  if (kScreenshots === "") return;
  mkdirSync(kScreenshots, { recursive: true });
  await page.screenshot({ path: join(kScreenshots, name) });
}

test("the page says why features were removed and what is known of them", options, async (t) => {
  const { data, page: path } = plantedReport(t);
  const { page, faults } = await open(t, path);
  const result = sfgJson("reduce", data);
  const kinds = await page.textContent("#kinds");
  for (const [kind, text] of [
    ["copy", "copies of a kept feature"],
    ["exact", "exact combinations of kept features"],
    ["unshared", "unshared: nothing"],
  ]) {
    assert.ok(result.certificate_kinds[kind] > 0, kind);
    assert.ok(kinds.includes(`${result.certificate_kinds[kind]} ${text}`), kinds);
  }
  const prefix = join(path, "..", "out");
  sfg("reduce", data, "-o", prefix);
  const [head, ...rows] = readFileSync(`${prefix}.removed.tsv`, "utf8").trim().split("\n");
  const reason = head.split("\t").indexOf("reason");
  const expected = {
    exact: /^Removed as exact: it is a sum of others/,
    unshared: /^Removed as unshared/,
    "no-variation": /^Left out: it has the same value/,
    redundant: /^Removed: .* is kept instead/,
  };
  for (const [word, pattern] of Object.entries(expected)) {
    const row = rows.map((one) => one.split("\t")).find((one) => one[reason] === word);
    assert.ok(row, `a feature is removed as ${word}`);
    await page.fill("#search", row[0]);
    await page.press("#search", "Enter");
    await drawn(page);
    assert.match(await page.textContent("#why-role"), pattern);
    if (word === "exact") assert.match(await page.textContent("#why"), /From kept features: /);
  }
  assert.deepEqual(faults, []);
});

test("a group shows its members, reasons and graph", options, async (t) => {
  const { data, page: path } = plantedReport(t, "--theta", 0.3);
  const { page, faults } = await open(t, path);
  await page.click("#show-list");
  await page.click("#groups-table tbody tr:first-child button");
  await drawn(page);
  const title = await page.textContent("#group-title");
  const [, representative, size] = /^Group of (.+): (\d+) members$/.exec(title);
  const prefix = join(path, "..", "out");
  sfg("reduce", data, "--theta", 0.3, "-o", prefix);
  const rows = readFileSync(`${prefix}.groups.tsv`, "utf8").trim().split("\n").slice(1);
  const members = rows.map((row) => row.split("\t")).filter((row) => row[3] === representative);
  assert.equal(Number(size), members.length);
  const sizes = members.length;
  assert.ok(rows.length > sizes, "there are other groups");
  await page.click("#members tbody tr:nth-child(2) button");
  await drawn(page);
  assert.match(await page.textContent("#why-role"), /^Removed: .* is kept instead, r² [\d.]+\.$/);
  assert.match(await page.textContent("#why"), /Described by|From kept features/);
  await page.click("#subgraph-box summary");
  await page.waitForSelector("#subgraph canvas");
  assert.deepEqual(faults, []);
});

test("a feature is found by name with the keyboard alone", options, async (t) => {
  const { page: path } = plantedReport(t);
  const { page, faults } = await open(t, path);
  const name = await page.textContent("#groups-table tbody tr:nth-child(3) button");
  await page.focus("#search");
  await page.keyboard.type(name.toUpperCase());
  assert.ok(await page.isVisible("#matches li[aria-selected=true]"));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent("#why h4"), name);
  assert.ok(!(await page.isVisible("#matches")));
  await page.focus("#level-slider");
  const before = await number(page, "#kept");
  await page.keyboard.press("End");
  await drawn(page);
  assert.notEqual(await number(page, "#kept"), before);
  assert.deepEqual(faults, []);
});

test("groups are filtered by a member and sorted by their headings", options, async (t) => {
  const { page: path } = plantedReport(t);
  const { page } = await open(t, path);
  const sizes = () =>
    page.$$eval("#groups-table tbody td:nth-child(2)", (cells) => cells.map((c) => +c.textContent));
  await page.click("#show-list");
  const falling = await sizes();
  assert.deepEqual(
    falling,
    [...falling].sort((x, y) => y - x),
  );
  await page.click("#groups-table th:nth-child(2) button");
  const rising = await sizes();
  assert.deepEqual(
    rising,
    [...rising].sort((x, y) => x - y),
  );
  await page.fill("#group-filter", "no feature is called so");
  assert.deepEqual(await sizes(), []);
});

test("names are text, whatever they contain", options, async (t) => {
  const place = folder(t);
  const data = join(place, "names.csv");
  const path = join(place, "page.html");
  const nasty = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\"quoted' & <b>bold</b>",
    "{a|rich} %data% \\u003c",
  ];
  const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
  const lines = [nasty.map(quoted).join(",")];
  for (let i = 1; i <= 30; ++i) lines.push([i, i + (i % 3) / 10, i * i, 31 - (i % 7)].join(","));
  writeFileSync(data, `${lines.join("\n")}\n`);
  sfg("report", data, "-o", path, "--theta", 0.2, "--title", "<script>alert(3)</script>");
  const { page, faults } = await open(t, path);
  assert.equal(await page.textContent("h1"), "<script>alert(3)</script>");
  await page.click("#show-list");
  await page.check("#show-alone");
  await page.click("#show-map");
  for (const name of nasty) {
    await page.fill("#search", name);
    await page.press("#search", "Enter");
    await drawn(page);
    assert.equal(await page.textContent("#why h4"), name);
    await page.hover("#map");
    await page.hover("#why");
  }
  await page.hover("#level-curve");
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("main script, main b").count(), 0);
  assert.deepEqual(faults, []);
});

test("only the page's own script may run", options, async (t) => {
  const { page: path } = plantedReport(t);
  const { page } = await open(t, path);
  const ran = await page.evaluate(() => {
    const element = document.createElement("div");
    element.innerHTML = "<img src=data:nothing onerror='window.injected = true'>";
    document.body.append(element);
    // The image's own handlers run before this one.
    return new Promise((done) => {
      element.firstChild.addEventListener("error", () => done(window.injected === true));
    });
  });
  assert.equal(ran, false);
});

test("a phone needs no sideways scrolling", options, async (t) => {
  const { page: path } = plantedReport(t);
  const { page, faults } = await open(t, path, { viewport: { width: 390, height: 844 } });
  await page.click("#show-list");
  await page.click("#groups-table tbody tr:first-child button");
  await drawn(page);
  const [inner, full] = await page.evaluate(() => [
    document.documentElement.clientWidth,
    document.documentElement.scrollWidth,
  ]);
  assert.ok(full <= inner, `${full} pixels of content on ${inner}`);
  await screenshot(page, "phone.png");
  assert.deepEqual(faults, []);
});

test("dark follows the system and the button", options, async (t) => {
  const { page: path } = plantedReport(t);
  const { page, faults } = await open(t, path, { colorScheme: "dark" });
  const brightness = () =>
    page.evaluate(() => {
      const rgb = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
      return rgb[0] + rgb[1] + rgb[2];
    });
  assert.ok((await brightness()) < 150);
  await page.click("#theme");
  assert.ok((await brightness()) > 600);
  assert.deepEqual(faults, []);
});

test("ORL as an image: 327 of the paper's features at theta 0.5", options, async (t) => {
  const data = dataSet(t, "ORL.mat");
  if (data === null) return;
  const path = join(folder(t), "orl.html");
  const words = ["--labels", "Y", "--seeds", 1, "--image", "32x32", "-o", path];
  sfgIn(dirname(data), "report", "ORL.mat", ...words);
  const { page, faults } = await open(t, path, { viewport: { width: 1280, height: 1420 } });
  assert.equal(await page.locator("table.heat").count(), 4, "NMI and ACC, two groupings");
  // 33 features are left at theta 0.1: 40 cannot be selected among them.
  const last = await page.textContent("table.heat >> nth=0 >> tbody tr:nth-child(4) td:last-child");
  assert.equal(last, "–");
  await page.click("[data-grouping=components]");
  await setLevel(page, 0.5);
  assert.equal(await number(page, "#kept"), 327);
  // A pixel in the third row and fifth column is feature 4 * 32 + 2 of MATLAB's order.
  const canvas = page.locator("canvas.pixels[data-mode=groups]");
  const box = await canvas.boundingBox();
  const position = { x: (4.5 / 32) * box.width, y: (2.5 / 32) * box.height };
  await canvas.click({ position });
  await drawn(page);
  assert.equal(await page.textContent("#why h4"), `f${4 * 32 + 2}`);
  await page.click("[data-grouping=compact]");
  await page.click("#show-list");
  await page.click("#groups-table tbody tr:first-child button");
  await drawn(page);
  await page.click("#show-map");
  await page.evaluate(() => scrollTo(0, 0));
  await screenshot(page, "faces.png");
  assert.deepEqual(faults, []);
});

test("spectra of soil: 700 wavelengths, what stays of them", options, async (t) => {
  const data = dataSet(t, "nir_soil.csv.gz");
  if (data === null) return;
  const path = join(folder(t), "soil.html");
  sfg("report", data, "-o", path);
  const { page, faults } = await open(t, path, { viewport: { width: 1280, height: 1330 } });
  const { n_kept, verdict } = sfgJson("reduce", data);
  assert.equal(await number(page, "#kept"), n_kept);
  assert.equal(await page.textContent("#verdict"), verdict);
  assert.ok(await page.isVisible("#spectrum canvas"));
  await drawn(page);
  await screenshot(page, "report.png");
  await page.click("#theme");
  await drawn(page);
  await screenshot(page, "report-dark.png");
  assert.deepEqual(faults, []);
});

test("10,304 features: under 3 MB, and the slider answers", options, async (t) => {
  const data = dataSet(t, "orlraws10P.mat");
  if (data === null) return;
  const path = join(folder(t), "page.html");
  sfg("report", data, "--image", "112x92", "-o", path);
  assert.ok(statSync(path).size < 3e6);
  const { page, faults } = await open(t, path);
  await page.click("[data-grouping=components]");
  const seconds = await page.evaluate(async () => {
    const slider = document.getElementById("level-slider");
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const timed = async (act) => {
      await frame();
      const start = performance.now();
      act();
      await frame();
      await frame();
      return performance.now() - start;
    };
    const blank = await timed(() => {});
    let slowest = 0;
    for (const theta of ["0.9", "0.5", "0.1", "0.7"]) {
      const took = await timed(() => {
        slider.value = theta;
        slider.dispatchEvent(new Event("input"));
      });
      slowest = Math.max(slowest, took);
    }
    return { blank, slowest };
  });
  // Reported, not judged: a test must not depend on a time.
  t.diagnostic(
    `slowest answer ${seconds.slowest.toFixed(0)} ms, blank frames ${seconds.blank.toFixed(0)} ms`,
  );
  assert.equal(
    await number(page, "#kept"),
    sfgJson("sweep", data, "--thetas", "0.7").levels[0].n_kept,
  );
  assert.deepEqual(faults, []);
});
