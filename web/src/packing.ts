// Circles side by side without overlap, from the middle outwards (Wang et al. 2006, "Visualization
// of large hierarchical data by circle packing": the front chain).

export interface Circle {
  x: number;
  y: number;
  radius: number;
}

/** A circle on the outline of those that have their place. */
class Link {
  next: Link = this;
  previous: Link = this;
  constructor(readonly circle: Circle) {}
}

/** Puts a circle where it touches two others. */
function touch(b: Circle, a: Circle, c: Circle): void {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const apart = dx * dx + dy * dy;
  const toA = (a.radius + c.radius) ** 2;
  const toB = (b.radius + c.radius) ** 2;
  const fromB = toA > toB;
  const [near, far] = fromB ? [toB, toA] : [toA, toB];
  const along = (apart + near - far) / (2 * apart);
  const across = Math.sqrt(Math.max(0, near / apart - along * along));
  c.x = fromB ? b.x - along * dx - across * dy : a.x + along * dx - across * dy;
  c.y = fromB ? b.y - along * dy + across * dx : a.y + along * dy + across * dx;
}

function overlap(a: Circle, b: Circle): boolean {
  const reach = a.radius + b.radius - 1e-6;
  return reach > 0 && reach * reach > (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
}

/** How far from the middle the gap behind a link is; `aspect` (width over height) makes it oval. */
function distance(link: Link, aspect: number): number {
  const a = link.circle;
  const b = link.next.circle;
  const both = a.radius + b.radius;
  const x = (a.x * b.radius + b.x * a.radius) / both / aspect;
  const y = (a.y * b.radius + b.y * a.radius) / both;
  return x * x + y * y;
}

/** The first link on either side of the gap whose circle is in the way, and the side. */
function obstacle(a: Link, b: Link, c: Circle): { link: Link; after: boolean } | null {
  let [j, k] = [b.next, a.previous];
  let [reachJ, reachK] = [b.circle.radius, a.circle.radius];
  do {
    if (reachJ <= reachK) {
      if (overlap(j.circle, c)) return { link: j, after: true };
      reachJ += j.circle.radius;
      j = j.next;
    } else {
      if (overlap(k.circle, c)) return { link: k, after: false };
      reachK += k.circle.radius;
      k = k.previous;
    }
  } while (j !== k.next);
  return null;
}

function join(a: Link, b: Link): void {
  a.next = b;
  b.previous = a;
}

/** Gives the circles their places, the first ones in the middle. Always the same for the same. */
export function pack(circles: Circle[], aspect: number): void {
  const [first, second, third] = circles;
  if (!first) return;
  [first.x, first.y] = [0, 0];
  if (!second) return;
  [first.x, second.x] = [-second.radius, first.radius];
  [first.y, second.y] = [0, 0];
  if (!third) return;
  touch(second, first, third);
  let a = new Link(first);
  let b = new Link(second);
  const c = new Link(third);
  join(a, b);
  join(b, c);
  join(c, a);
  for (let i = 3; i < circles.length; ++i) {
    const circle = circles[i];
    for (;;) {
      touch(a.circle, b.circle, circle);
      const hit = obstacle(a, b, circle);
      if (hit === null) break;
      if (hit.after) b = hit.link;
      else a = hit.link;
      join(a, b);
    }
    const added = new Link(circle);
    join(a, added);
    join(added, b);
    // Go on where the outline is nearest to the middle.
    let best = added;
    let nearest = distance(added, aspect);
    for (let link = added.next; link !== added; link = link.next) {
      const at = distance(link, aspect);
      if (at < nearest) [best, nearest] = [link, at];
    }
    a = best;
    b = best.next;
  }
}
