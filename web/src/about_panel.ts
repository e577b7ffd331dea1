// What was done: data, method, time, and what the words mean.
import { counted, decimals, el, section, whole } from "./dom";
import { nameInText, shortName } from "./names";
import type { Store } from "./state";

function list(entries: [string, string][]): HTMLElement {
  return el(
    "dl",
    {},
    ...entries.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]),
  );
}

export function aboutPanel(store: Store): HTMLElement {
  const box = el("div", { id: "about" });
  store.listen(({ data, view }) => {
    const seconds = view.run.seconds
      .map(([stage, value]) => `${stage} ${decimals(value, 2)}`)
      .join(", ");
    const known = data.labels;
    const scored = data.scores ? "" : "; with --scores the page says how well the samples cluster";
    const entries: [string, string][] = [
      [
        "Data",
        `${shortName(data.title)}: ${counted(data.nSamples, "sample")}, ${counted(data.nFeatures, "feature")}`,
      ],
      ...(known
        ? [
            [
              "Classes",
              `${nameInText(known.name)}: ${counted(known.nClasses, "class", "classes")}${scored}`,
            ] as [string, string],
          ]
        : []),
      ...(view.picks
        ? [["Groups", view.method] as [string, string]]
        : ([
            ["Graph", `${view.method}; ${whole(view.graph.neighbours.length)} edges`],
            ["Representative", view.rule],
          ] as [string, string][])),
      [
        "Samples' 10 nearest",
        `${decimals(100 * view.run.neighbourOverlap, 1)} % stay the same by kept features only (at the level of the run)`,
      ],
    ];
    if (seconds !== "") entries.push(["Seconds", seconds]);
    entries.push([
      "Made",
      `by sfg ${data.version}${data.created === "" ? "" : `, ${data.created}`}`,
    ]);
    box.replaceChildren(list(entries));
  });
  const words = el(
    "details",
    {},
    el("summary", {}, "What the words mean"),
    list([
      [
        "r²",
        "Squared correlation of a removed feature with the one kept instead: 1 is a copy, up to scale and sign.",
      ],
      [
        "Held-out R²",
        "How well the kept features together predict a removed one on samples that took no part in the fit. 1 is perfect, 0 no better than the mean.",
      ],
      [
        "Theta",
        "Where the weight threshold lies between the smallest (0) and the largest weight (1) of the graph: the paper's groups are what hangs together above it.",
      ],
      [
        "Compact groups",
        "Ward's agglomeration along the graph's edges: members are close to their mean, not only to a neighbour.",
      ],
      [
        "Cover",
        "Features are picked one after the other so that the others can be recovered from them; each of the others belongs to its nearest pick.",
      ],
      [
        "Overlap",
        "Of the samples' 10 nearest by all features in groups: the share that stays the nearest by the kept ones.",
      ],
      [
        "Loss ratio",
        "What the kept features leave unexplained of the removed ones, over what all other features leave of them. At 1 nothing that the table knew is lost.",
      ],
      [
        "Mean R²",
        "How well the kept features predict the removed ones, each sample by the others (leave one out).",
      ],
      [
        "Unshared",
        "A feature that nothing else in the table knows anything about: noise, or unique.",
      ],
      ["Exact", "A feature that is a sum of a few others, but for rounding."],
      [
        "Angle",
        "Between a feature and its description by a few others: 0° is exact, 90° says nothing.",
      ],
    ]),
  );
  return section(
    "about-panel",
    "What was done",
    box,
    words,
    el("p", { class: "note" }, "Charts by Apache ECharts (Apache License 2.0)."),
  );
}
