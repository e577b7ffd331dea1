// The levels of the page in a real browser: each is what the program says of it.
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

const kThetas = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1];
/** The page holds r2 in steps of 1/65535 and shows three digits. */
const kShownR2 = 0.0006;

const options = { skip: kBrowser ? false : "no Chromium" };
after(closeBrowser);

test("the slider keeps as many features as sfg sweep, at every theta", options, async (t) => {
  const { data, page: path } = plantedReport(t, "--theta", 0.5);
  const { page, faults } = await open(t, path);
  const { levels } = sfgJson("sweep", data, "--thetas", kThetas.join(","));
  for (const level of levels) {
    await setLevel(page, level.theta);
    assert.equal(await number(page, "#kept"), level.n_kept, `theta ${level.theta}`);
    const r2 = await number(page, "#mean-r2");
    assert.ok(Math.abs(r2 - level.mean_r2) < kShownR2, `theta ${level.theta}: r2 ${r2}`);
  }
  assert.deepEqual(faults, []);
});

test("the page opens with the reduction of sfg reduce", options, async (t) => {
  const { data, page: path } = plantedReport(t);
  const { page } = await open(t, path);
  const result = sfgJson("reduce", data);
  assert.equal(await number(page, "#kept"), result.n_kept);
  assert.ok(Math.abs((await number(page, "#mean-r2")) - result.mean_r2) < kShownR2);
  assert.ok(Math.abs((await number(page, "#held-out")) - result.r2cv_mean) < kShownR2);
  assert.match(await page.textContent("#command"), /^sfg reduce .*planted\.csv -o out$/);
});

test("another level of compact groups is what --n-features gives", options, async (t) => {
  const { data, page: path } = plantedReport(t);
  const { page } = await open(t, path);
  const result = sfgJson("reduce", data, "--n-features", 120);
  await setLevel(page, 120);
  assert.equal(await number(page, "#kept"), 120);
  assert.ok(Math.abs((await number(page, "#mean-r2")) - result.mean_r2) < kShownR2);
  assert.match(await page.textContent("#command"), /--n-features 120/);
  await page.click("#level-run");
  await drawn(page);
  assert.equal(await number(page, "#kept"), sfgJson("reduce", data).n_kept);
});

/** The rows of the table of judged levels, page after page. */
async function judgedRows(page) {
  const rows = [];
  await page.click("#judged-panel summary");
  for (;;) {
    const shown = await page.$$eval("#judged tbody tr", (lines) =>
      lines.map((line) => [...line.children].map((cell) => cell.textContent)),
    );
    rows.push(...shown);
    const next = page.locator("#judged-panel .pager button:last-child");
    if (await next.isDisabled()) return rows;
    await next.click();
  }
}

for (const grouping of ["compact", "cover"]) {
  test(`judged levels of ${grouping} are those of sfg sweep`, options, async (t) => {
    const { data, page: path } = mixtureReport(t, ["--grouping", grouping]);
    const { page, faults } = await open(t, path);
    const { levels } = sfgJson("sweep", data, "--grouping", grouping);
    const rows = await judgedRows(page);
    assert.deepEqual(
      rows,
      levels.map((level) => [
        level.n_kept.toLocaleString("en"),
        level.overlap.toFixed(3),
        level.loss_ratio.toFixed(3),
        level.r2loo_mean.toFixed(3),
        level.good ? "yes" : "no",
        level.chosen ? "chosen" : "",
      ]),
    );
    const chosen = levels.find((level) => level.chosen);
    assert.equal(await number(page, "#kept"), chosen.n_kept);
    assert.equal(chosen.n_kept, sfgJson("reduce", data, "--grouping", grouping).n_kept);
    assert.ok(await page.isVisible("#level-curve canvas"));
    await page.click("[data-grouping=components]");
    assert.ok(!(await page.isVisible("#judged-panel")), "the paper's groups are not judged");
    assert.deepEqual(faults, []);
  });
}

test(
  "cover opens with its run, and at another level is what --n-features gives",
  options,
  async (t) => {
    const { data, page: path } = mixtureReport(t, ["--grouping", "cover"]);
    const { page, faults } = await open(t, path);
    const whole = sfgJson("reduce", data, "--grouping", "cover");
    assert.equal(await number(page, "#kept"), whole.n_kept);
    assert.ok(Math.abs((await number(page, "#mean-r2")) - whole.mean_r2) < kShownR2);
    for (const n of [1, 7, 30, 59]) {
      const result = sfgJson("reduce", data, "--grouping", "cover", "--n-features", n);
      await setLevel(page, n);
      assert.equal(await number(page, "#kept"), n);
      const r2 = await number(page, "#mean-r2");
      assert.ok(Math.abs(r2 - result.mean_r2) < kShownR2, `${n} features: r2 ${r2}`);
      const sizes = result.groups.map((group) => group.members.length);
      assert.equal(await number(page, "#groups"), sizes.filter((size) => size > 1).length);
      assert.match(
        await page.textContent("#command"),
        new RegExp(`--grouping cover --n-features ${n} `),
      );
    }
    await page.click("#level-run");
    await drawn(page);
    assert.equal(await number(page, "#kept"), whole.n_kept);
    assert.ok(!(await page.isVisible("#angle-panel")), "cover has no graph");
    assert.deepEqual(faults, []);
  },
);

test("features that came back, or were given up, are as the run left them", options, async (t) => {
  for (const words of [
    ["--min-mean-r2", 0.4],
    ["--certify", 0.8],
  ]) {
    const { data, page: path } = plantedReport(t, ...words);
    const { page } = await open(t, path);
    const result = sfgJson("reduce", data, ...words);
    assert.equal(await number(page, "#kept"), result.n_kept, words.join(" "));
    assert.ok(Math.abs((await number(page, "#mean-r2")) - result.mean_r2) < kShownR2);
  }
});
