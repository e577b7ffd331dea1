// The part of the sparse feature graph inside one group, drawn.
import { Chart } from "./charts";
import { colour } from "./colours";
import { decimals, el } from "./dom";
import { fitted, layout, type Place } from "./layout";
import { nameInText } from "./names";
import type { State, Store } from "./state";

/** More nodes than this cannot be read. */
const kMostNodes = 80;
/** With so few edges every one carries its weight. */
const kFewEdges = 24;
/** Letters of a name. */
const kLabel = 40;
const kMargin = { left: 30, right: 70, top: 24, bottom: 24 };

interface Edge {
  source: number;
  target: number;
  weight: number;
}

/** The representative and the members closest to it. */
function shownMembers(state: State, members: number[], representative: number): number[] {
  if (members.length <= kMostNodes) return members;
  const others = members.filter((one) => one !== representative);
  others.sort((x, y) => state.cut.r2[y] - state.cut.r2[x] || x - y);
  return [representative, ...others.slice(0, kMostNodes - 1)];
}

function edgesAmong(state: State, members: number[]): Edge[] {
  const inside = new Set(members);
  const { starts, neighbours, weights, failed } = state.view.graph;
  const edges: Edge[] = [];
  for (const source of members) {
    if (failed[source] !== 0) continue;
    for (let k = starts[source]; k < starts[source + 1]; ++k) {
      if (inside.has(neighbours[k])) {
        edges.push({ source, target: neighbours[k], weight: weights[k] });
      }
    }
  }
  return edges;
}

export class Subgraph {
  private readonly picture = el("div", { class: "chart tall", id: "subgraph", role: "img" });
  private readonly note = el("p", { class: "note", id: "subgraph-note" });
  readonly element = el("div", {}, this.picture, this.note);
  private readonly chart = new Chart(this.picture);

  constructor(store: Store) {
    this.chart.onClick((event) => {
      const data = event.data as { feature?: number } | undefined;
      if (event.dataType === "node" && data?.feature !== undefined) store.open(data.feature);
    });
  }

  show(state: State, feature: number): void {
    const group = state.cut.groups[state.cut.groupOf[feature]];
    const members = shownMembers(state, group.members, group.representative);
    if (!members.includes(feature)) members.push(feature);
    const edges = edgesAmong(state, members);
    this.picture.setAttribute(
      "aria-label",
      `Graph of ${members.length} features with ${edges.length} edges`,
    );
    const left = group.members.length - members.length;
    this.note.textContent =
      (edges.length === 0
        ? "No edge of the graph lies inside this group."
        : "An arrow goes from a feature to one that describes it; its width is the weight.") +
      (left > 0 ? ` ${left} members farther from the representative are not drawn.` : "");
    const largest = Math.max(...edges.map((one) => Math.abs(one.weight)), 1e-9);
    const place = new Map(members.map((member, k) => [member, k]));
    const places = layout(
      members.length,
      edges.map((edge) => [place.get(edge.source) ?? 0, place.get(edge.target) ?? 0]),
    );
    const node = (member: number, at: Place): object => ({
      id: String(member),
      name: nameInText(state.data.names[member], kLabel),
      feature: member,
      text: `${nameInText(state.data.names[member], kLabel)}, r² ${decimals(state.cut.r2[member])}`,
      ...at,
      symbol: member === group.representative ? "diamond" : "circle",
      symbolSize: member === group.representative ? 22 : 12,
      itemStyle: {
        color:
          member === feature
            ? colour("second")
            : member === group.representative
              ? colour("third")
              : colour("first"),
      },
    });
    const box = (): { width: number; height: number } => ({
      width: Math.max(40, this.picture.clientWidth - kMargin.left - kMargin.right),
      height: Math.max(40, this.picture.clientHeight - kMargin.top - kMargin.bottom),
    });
    const nodes = (width: number, height: number): object[] => [
      ...fitted(places, width, height).map((at, k) => node(members[k], at)),
      // Unseen ones in the corners: the box is filled without stretching what is in it.
      { id: "first corner", x: 0, y: 0, symbolSize: 0, silent: true },
      { id: "last corner", x: width, y: height, symbolSize: 0, silent: true },
    ];
    this.chart.draw(() => ({
      tooltip: {
        formatter: (item: { dataType?: string; data: { text?: string } }) => item.data.text ?? "",
      },
      series: [
        {
          type: "graph",
          layout: "none",
          roam: "move",
          ...kMargin,
          edgeSymbol: ["none", "arrow"],
          edgeSymbolSize: 7,
          label: {
            show: members.length <= 40,
            position: "right",
            color: colour("text"),
            formatter: "{b}",
          },
          labelLayout: { hideOverlap: true },
          data: nodes(box().width, box().height),
          links: edges.map((edge) => ({
            source: place.get(edge.source),
            target: place.get(edge.target),
            text: `${nameInText(state.data.names[edge.source], kLabel)} → ${nameInText(state.data.names[edge.target], kLabel)}: ${decimals(edge.weight)}`,
            lineStyle: {
              width: 1 + (4 * Math.abs(edge.weight)) / largest,
              curveness: 0.12,
              opacity: 0.7,
              color: colour("muted"),
              type: edge.weight < 0 ? "dashed" : "solid",
            },
            label: {
              show: edges.length <= kFewEdges,
              formatter: decimals(edge.weight, 2),
              color: colour("muted"),
              fontSize: 10,
            },
          })),
        },
      ],
    }));
  }
}
