// What a reader asks first, in a real browser: the verdict, the numbers, the map, one group.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  closeBrowser,
  drawn,
  kBrowser,
  mixtureReport,
  number,
  open,
  plantedReport,
  setLevel,
  sfgJson,
} from "./page.mjs";

const options = { skip: kBrowser ? false : "no Chromium" };
after(closeBrowser);

async function find(page, name) {
  await page.fill("#search", name);
  await page.press("#search", "Enter");
  await drawn(page);
}

test("the verdict and the large numbers are those of sfg reduce", options, async (t) => {
  const { data, page: path } = plantedReport(t);
  const { page, faults } = await open(t, path);
  const result = sfgJson("reduce", data);
  assert.equal(await page.textContent("#verdict"), result.verdict);
  const count = (pattern) => Number(pattern.exec(result.verdict)[1]);
  const redundant = count(/(\d+) are redundant/);
  assert.equal(await number(page, "#redundant"), redundant);
  assert.equal(await number(page, "#exact"), count(/(\d+) are exact sums/));
  assert.equal(await number(page, "#unshared"), count(/(\d+) share nothing/));
  assert.equal(
    await page.textContent("#neighbours"),
    `${Math.round(100 * result.neighbour_overlap)} %`,
  );
  const legend = await page.textContent("#map-legend");
  assert.match(legend, new RegExp(`kept ${result.n_kept}redundant ${redundant}exact`));
  assert.deepEqual(faults, []);
});

test("at another level the verdict is that of --n-features", options, async (t) => {
  const { data, page: path } = mixtureReport(t);
  const { page } = await open(t, path);
  for (const n of [6, 25, 59]) {
    await setLevel(page, n);
    const { verdict } = sfgJson("reduce", data, "--n-features", n);
    const shown = await page.textContent("#verdict");
    assert.match(shown, new RegExp(`^60 features: ${n} are kept, as many as were asked for. `));
    // The program alone knows the neighbours at a level that was not tried.
    assert.ok(verdict.startsWith(shown), `${shown}\n${verdict}`);
    assert.ok(!(await page.isVisible("#command-note")));
  }
});

test("where only the automatic level removes sums, the page says so", options, async (t) => {
  const { page: path } = plantedReport(t);
  const { page } = await open(t, path);
  assert.ok(!(await page.isVisible("#command-note")));
  await setLevel(page, 120);
  assert.ok(await page.isVisible("#command-note"));
  const shown = await page.textContent("#verdict");
  assert.match(shown, /^200 features: 120 are kept\. \d+ have a substitute among them /);
});

test("measures stay alive at the levels that were tried", options, async (t) => {
  const { data, page: path } = mixtureReport(t);
  const { page } = await open(t, path);
  const { levels } = sfgJson("sweep", data, "--grouping", "compact");
  const others = levels.filter((level) => !level.chosen && level.r2loo_mean !== null);
  assert.ok(others.length > 2);
  for (const level of others) {
    await setLevel(page, level.n_kept);
    assert.equal(await number(page, "#kept"), level.n_kept);
    assert.equal(await page.textContent("#held-out"), level.r2loo_mean.toFixed(3));
    assert.equal(await page.textContent("#loss"), level.loss_ratio.toFixed(2));
    const shown = Number.parseFloat(await page.textContent("#neighbours"));
    assert.ok(Math.abs(shown - 100 * level.overlap) <= 0.5);
  }
  const [finer, coarser] = others.filter((one, k) => one.n_kept - others[k + 1]?.n_kept > 1);
  assert.ok(finer && coarser);
  await setLevel(page, finer.n_kept - 1);
  assert.match(await page.textContent("#held-out"), /^[\d.]+(–[\d.]+)?$/);
});

test("the first interesting group is open, with plots, members and a swap", options, async (t) => {
  const { data, page: path } = mixtureReport(t, ["--n-features", 6]);
  const { page, faults } = await open(t, path);
  const result = sfgJson("reduce", data, "--n-features", 6);
  const sizes = result.groups.map((group) => group.members.length);
  const title = await page.textContent("#group-title");
  assert.match(title, new RegExp(`: ${Math.max(...sizes)} members$`));
  assert.equal(await page.locator("#plots svg").count(), 6, "as many as can be read");
  const points = await page.getAttribute("#plots svg path.points", "d");
  assert.equal(points.split("M").length - 1, 80, "every sample");
  assert.match(await page.textContent("#swap"), /^Swap: m\d+ could be kept instead \(r² 0\.\d+\)/);
  await page.click("#swap button");
  await drawn(page);
  assert.match(await page.textContent("#why-role"), /^Removed: /);
  assert.deepEqual(faults, []);
});

test("points have the colours of classes where these are known", options, async (t) => {
  const words = ["--labels", "class", "--no-scores", "--n-features", 6];
  const { page: path } = mixtureReport(t, words);
  const { page } = await open(t, path);
  assert.equal(await page.textContent("#plots .legend"), "class:evenodd");
  const count = async (one) => {
    const d = await page.getAttribute(`#plots svg >> nth=0 >> path.class${one}`, "d");
    return d.split("M").length - 1;
  };
  assert.deepEqual([await count(0), await count(1)], [40, 40]);
});

test("without values the page has none", options, async (t) => {
  const { page: path } = mixtureReport(t, ["--n-features", 6, "--no-values"]);
  const { page, faults } = await open(t, path);
  assert.match(await page.textContent("#group-title"), /^Group of/);
  assert.equal(await page.locator("#plots svg").count(), 0);
  assert.deepEqual(faults, []);
});

test("a feature on the map is read by pointing and opened by choosing", options, async (t) => {
  const { page: path } = mixtureReport(t, ["--n-features", 6]);
  const { page, faults } = await open(t, path);
  const map = page.locator("#map");
  const { width, height } = await map.boundingBox();
  const names = new Set();
  for (const x of [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]) {
    const position = { x: x * width, y: height / 2 };
    await map.hover({ position });
    await drawn(page);
    const told = await page.textContent("#map-note");
    await map.click({ position });
    await drawn(page);
    const name = await page.textContent("#why h4");
    assert.ok(told.startsWith(`${name}. `), `${told} is not about ${name}`);
    names.add(name);
  }
  assert.ok(names.size > 2, "different places are different features");
  assert.deepEqual(faults, []);
});

test("exact sums are listed as the program writes them", options, async (t) => {
  const { data, page: path } = plantedReport(t);
  const { page } = await open(t, path);
  const { equations } = sfgJson("reduce", data);
  assert.ok(equations.length > 0);
  const plain = (text) => text.replaceAll("·", "*").replaceAll("−", "-");
  for (const { name: feature, equation } of equations) {
    await page.fill("#equation-filter", feature);
    const rows = await page.$$eval("#equations tbody tr", (lines) =>
      lines.map((line) => [...line.children].map((cell) => cell.textContent)),
    );
    const own = rows.find(([name]) => name === feature);
    assert.ok(own, feature);
    assert.equal(own[2], "exact");
    assert.equal(plain(own[1]), equation.replace(/^-/, "- "));
  }
});

test("names come in the order in which people count", options, async (t) => {
  const { page: path } = mixtureReport(t, ["--n-features", 6]);
  const { page } = await open(t, path);
  await page.click("#members th:first-child button");
  const names = await page.$$eval("#members tbody td:first-child", (cells) =>
    cells.map((cell) => Number(cell.textContent.slice(1))),
  );
  assert.deepEqual(
    names,
    [...names].sort((x, y) => x - y),
  );
});

test("features named by wavelengths are drawn as a spectrum", options, async (t) => {
  const { page: path } = mixtureReport(t, ["--n-features", 6], (j) => `nm${1100 + 2 * j}`);
  const { page, faults } = await open(t, path);
  assert.ok(await page.isVisible("#spectrum canvas"));
  const box = await page.locator("#spectrum").boundingBox();
  await page.locator("#spectrum").click({ position: { x: box.width - 30, y: box.height / 2 } });
  await drawn(page);
  assert.match(await page.textContent("#why h4"), /^nm12(0|1)\d$/);
  assert.deepEqual(faults, []);
  const other = mixtureReport(t);
  const { page: plain } = await open(t, other.page);
  assert.equal(await plain.locator("#spectrum-panel").count(), 0, "names that merely count");
});

test("the address keeps level, feature and theme, and leads back to them", options, async (t) => {
  const { page: path } = mixtureReport(t);
  const { page, faults } = await open(t, path);
  assert.equal(await page.evaluate(() => location.hash), "");
  await setLevel(page, 20);
  await find(page, "m13");
  await page.click("#theme");
  await page.waitForFunction(() => /theme=dark/.test(location.hash));
  const hash = await page.evaluate(() => location.hash);
  assert.match(hash, /^#steps=40&feature=m13&theme=dark$/);
  assert.deepEqual(faults, []);
  const { page: again, faults: others } = await open(t, path, {}, hash);
  assert.equal(await number(again, "#kept"), 20);
  assert.equal(await again.textContent("#why h4"), "m13");
  assert.equal(await again.evaluate(() => document.documentElement.dataset.theme), "dark");
  assert.deepEqual(others, []);
});

test("an address that does not fit opens the answer", options, async (t) => {
  const { page: path } = mixtureReport(t);
  for (const hash of ["#steps=999999&feature=nobody", "#steps=-3&theta=7&theme=red", "#groups=x"]) {
    const { page, faults } = await open(t, path, {}, hash);
    assert.ok(await page.isDisabled("#level-run"), hash);
    assert.deepEqual(faults, []);
  }
});

test("the command names files without the maker's folders", options, async (t) => {
  const { page: path } = mixtureReport(t);
  const { page } = await open(t, path);
  assert.equal(await page.textContent("#command"), "sfg reduce mixtures.csv -o out");
  const html = await page.content();
  assert.ok(!html.includes(path.split("/").at(-2)), "no folder anywhere");
});

test("paper shows the page in light colours and without its controls", options, async (t) => {
  const { page: path } = mixtureReport(t);
  const { page, faults } = await open(t, path, { colorScheme: "dark" });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  assert.equal(await theme(), "light");
  assert.ok(!(await page.isVisible("#level-slider")));
  assert.ok(await page.isVisible("#verdict"));
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  assert.equal(await theme(), "dark");
  assert.deepEqual(faults, []);
});
