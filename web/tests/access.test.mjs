// Whether everybody can use the page: rules of axe-core, fingers, long and foreign names.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  closeBrowser,
  dataSet,
  drawn,
  folder,
  kBrowser,
  open,
  plantedReport,
  sfg,
} from "./page.mjs";

const options = { skip: kBrowser ? false : "no Chromium" };
after(closeBrowser);

const kAxe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What is broken for some readers, worst kinds only. */
async function broken(page) {
  await page.evaluate(kAxe);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

for (const colorScheme of ["light", "dark"]) {
  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const where = `${colorScheme}, ${viewport.width} pixels wide`;
    test(`no serious finding of axe-core: ${where}`, options, async (t) => {
      const { page: path } = plantedReport(t);
      const { page } = await open(t, path, { colorScheme, viewport });
      for (const summary of await page.$$("summary")) {
        if (await summary.isVisible()) await summary.click();
      }
      await page.click("#theme");
      await page.click("#theme");
      assert.deepEqual(await broken(page), []);
      await page.click("#show-list");
      await page.fill("#search", "x");
      await drawn(page);
      assert.deepEqual(await broken(page), []);
    });
  }
}

test("a phone shows what was tapped, and leads there", options, async (t) => {
  const { page: path } = plantedReport(t);
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, faults } = await open(t, path, phone);
  await page.locator("#worst button").first().tap();
  await drawn(page);
  const name = await page.textContent("#worst button >> nth=0");
  assert.ok((await page.textContent("#tapped-text")).startsWith(`${name}. `));
  await page.locator("#tapped button").first().tap();
  await drawn(page);
  assert.ok(!(await page.isVisible("#tapped")));
  const top = await page.evaluate(
    () => document.getElementById("group-title").getBoundingClientRect().top,
  );
  assert.ok(top >= 0 && top < 844, `the group is at ${top}`);
  assert.deepEqual(faults, []);
});

test("names of a megabyte and from right to left are harmless", options, async (t) => {
  const place = folder(t);
  const data = join(place, "names.csv");
  const path = join(place, "page.html");
  const names = ["ط".repeat(500000), "مرحبا <b>بالعالم</b>", "\u202eevil", "plain", "שלום"];
  const lines = [names.join(",")];
  for (let i = 1; i <= 30; ++i) {
    lines.push([i, i + (i % 3) / 10, i * i, 31 - (i % 7), (i * 7) % 11].join(","));
  }
  writeFileSync(data, `${lines.join("\n")}\n`);
  sfg("report", data, "-o", path, "--n-features", 3);
  const viewport = { width: 390, height: 844 };
  const { page, faults } = await open(t, path, { viewport });
  for (const name of [names[0].slice(0, 50), ...names.slice(1)]) {
    await page.fill("#search", name);
    await page.press("#search", "Enter");
    await drawn(page);
    assert.ok((await page.textContent("#why h4")).startsWith(name));
    const told = await page.textContent("#map-note");
    if (name !== "plain") assert.match(told, /^\u2068[^\u2069]*\u2069\. (Kept|Removed)/);
    const [inner, full, height] = await page.evaluate(() => [
      document.documentElement.clientWidth,
      document.documentElement.scrollWidth,
      document.documentElement.scrollHeight,
    ]);
    assert.ok(full <= inner, `${full} pixels of content on ${inner}`);
    assert.ok(height < 20000, `${height} pixels high`);
  }
  assert.equal(await page.locator("main b").count(), 0);
  assert.deepEqual(faults, []);
});

for (const grouping of ["cover", "components"]) {
  test(`10,304 features of ${grouping}: under 3 MB`, options, async (t) => {
    const data = dataSet(t, "orlraws10P.mat");
    if (data === null) return;
    const path = join(folder(t), "page.html");
    sfg("report", data, "--grouping", grouping, "-o", path);
    assert.ok(statSync(path).size < 3e6, `${statSync(path).size} bytes`);
    const { page, faults } = await open(t, path);
    assert.ok(await page.isVisible("#map"));
    assert.deepEqual(faults, []);
  });
}
