// Where to draw the nodes of a small graph: edges pull, nodes push (Fruchterman and Reingold 1991).

export interface Place {
  x: number;
  y: number;
}

const kRounds = 250;

/** Always the same for the same graph: it starts on a circle. */
export function layout(nNodes: number, edges: [number, number][]): Place[] {
  const places = Array.from({ length: nNodes }, (_, k) => {
    const angle = (2 * Math.PI * k) / nNodes;
    return { x: Math.cos(angle), y: Math.sin(angle) };
  });
  const apart = Math.sqrt(4 / Math.max(1, nNodes)); // the length that an edge likes best
  for (let round = 0; round < kRounds; ++round) {
    const forces = places.map(() => ({ x: 0, y: 0 }));
    const pull = (i: number, j: number, strength: (distance: number) => number): void => {
      const dx = places[i].x - places[j].x;
      const dy = places[i].y - places[j].y;
      const distance = Math.max(1e-3, Math.hypot(dx, dy));
      const force = strength(distance) / distance;
      forces[i].x += dx * force;
      forces[i].y += dy * force;
      forces[j].x -= dx * force;
      forces[j].y -= dy * force;
    };
    for (let i = 0; i < nNodes; ++i) {
      for (let j = 0; j < i; ++j) pull(i, j, (distance) => (apart * apart) / distance);
    }
    for (const [i, j] of edges) pull(i, j, (distance) => -(distance * distance) / apart);
    // Shorter and shorter steps; a weak pull to the middle keeps parts together.
    const longest = 0.2 * (1 - round / kRounds);
    places.forEach((place, i) => {
      const x = forces[i].x - 0.3 * place.x;
      const y = forces[i].y - 0.3 * place.y;
      const length = Math.max(1e-9, Math.hypot(x, y));
      const step = Math.min(longest, length);
      place.x += (x / length) * step;
      place.y += (y / length) * step;
    });
  }
  return places;
}

/** Stretched to a box of this size. */
export function fitted(places: Place[], width: number, height: number): Place[] {
  const along = (values: number[], length: number): number[] => {
    const low = Math.min(...values);
    const range = Math.max(...values) - low;
    return values.map((value) => (range > 0 ? ((value - low) / range) * length : length / 2));
  };
  const x = along(
    places.map((one) => one.x),
    width,
  );
  const y = along(
    places.map((one) => one.y),
    height,
  );
  return x.map((value, k) => ({ x: value, y: y[k] }));
}
