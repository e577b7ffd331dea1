// Features as the pixels of an image: which are kept, how they group, how close they are.
import type { PixelImage } from "./data";
import { el, section } from "./dom";
import { featureText } from "./explain";
import type { State, Store } from "./state";

type Mode = "groups" | "kept" | "r2";

type Colour = [number, number, number];

/** Well apart from each other for as many groups as there are: steps of the golden angle. */
function groupColour(group: number): Colour {
  const hue = (group * 137.508) % 360;
  const light = 0.45 + (0.25 * ((group * 7) % 3)) / 2;
  return fromHsl(hue, 0.6, light);
}

function fromHsl(hue: number, saturation: number, light: number): Colour {
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12;
    const a = saturation * Math.min(light, 1 - light);
    return Math.round(255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

/** Dark blue to yellow: readable without red and green (after viridis). */
const kScale: Colour[] = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

function scaleColour(share: number): Colour {
  const at = Math.min(0.9999, Math.max(0, share)) * (kScale.length - 1);
  const k = Math.floor(at);
  const mix = (i: number): number =>
    Math.round(kScale[k][i] + (at - k) * (kScale[k + 1][i] - kScale[k][i]));
  return [mix(0), mix(1), mix(2)];
}

const kLeftOut: Colour = [128, 128, 128];

function pixelColour(state: State, image: PixelImage, feature: number, mode: Mode): Colour {
  const role = state.cut.role[feature];
  if (role === "left out") return kLeftOut;
  const kept = role !== "removed";
  if (mode === "kept") {
    const grey = image.mean[feature];
    return kept
      ? [230, 159, 0]
      : [Math.round(grey * 0.7), Math.round(grey * 0.7), Math.round(grey * 0.7)];
  }
  if (mode === "r2")
    return Number.isNaN(state.cut.r2[feature]) ? kLeftOut : scaleColour(state.cut.r2[feature]);
  const group = state.cut.groupOf[feature];
  return state.cut.groups[group].members.length === 1 ? [200, 200, 200] : groupColour(group);
}

export function featureAt(image: PixelImage, row: number, column: number): number {
  return image.order === "columns" ? column * image.height + row : row * image.width + column;
}

const kModes: { mode: Mode; title: string; note: string }[] = [
  {
    mode: "groups",
    title: "Groups",
    note: "Pixels of one colour are one group; grey ones are alone. White dots are kept.",
  },
  { mode: "kept", title: "Kept pixels", note: "Orange is kept. The rest shows the samples' mean." },
  {
    mode: "r2",
    title: "r² with the pixel kept instead",
    note: "Yellow is replaced without loss, dark blue has little in common with it.",
  },
];

/** One picture of all features. */
class Picture {
  readonly canvas: HTMLCanvasElement;
  /** One pixel per feature, to be enlarged. */
  private readonly small: HTMLCanvasElement;
  private readonly scale: number;

  constructor(
    private readonly image: PixelImage,
    private readonly mode: Mode,
    label: string,
  ) {
    this.scale = Math.max(3, Math.floor(384 / Math.max(image.height, image.width)));
    this.small = el("canvas", { width: image.width, height: image.height });
    this.canvas = el("canvas", {
      class: "pixels",
      "data-mode": mode,
      width: image.width * this.scale,
      height: image.height * this.scale,
      role: "img",
      "aria-label": `${label}, ${image.height} by ${image.width} pixels`,
    });
  }

  draw(state: State): void {
    const context = this.canvas.getContext("2d");
    const small = this.small.getContext("2d");
    if (!context || !small) return;
    const { image, scale } = this;
    const kept: [number, number][] = [];
    const pixels = small.createImageData(image.width, image.height);
    for (let row = 0, at = 0; row < image.height; ++row) {
      for (let column = 0; column < image.width; ++column, at += 4) {
        const feature = featureAt(image, row, column);
        const [r, g, b] = pixelColour(state, image, feature, this.mode);
        pixels.data[at] = r;
        pixels.data[at + 1] = g;
        pixels.data[at + 2] = b;
        pixels.data[at + 3] = 255;
        if (state.cut.role[feature] === "representative") kept.push([row, column]);
      }
    }
    small.putImageData(pixels, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.small, 0, 0, this.canvas.width, this.canvas.height);
    if (this.mode === "groups") {
      const dot = Math.max(1, Math.floor(scale / 3));
      const inset = Math.floor((scale - dot) / 2);
      context.fillStyle = "#fff";
      for (const [row, column] of kept) {
        context.fillRect(column * scale + inset, row * scale + inset, dot, dot);
      }
    }
    if (state.open !== null) this.outline(context, state.open);
  }

  private outline(context: CanvasRenderingContext2D, feature: number): void {
    const { image, scale } = this;
    const byColumns = image.order === "columns";
    const along = byColumns ? image.height : image.width;
    const [far, near] = [Math.floor(feature / along), feature % along];
    const [row, column] = byColumns ? [near, far] : [far, near];
    for (const [style, width] of [
      ["#fff", 4],
      ["#000", 2],
    ] as const) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.strokeRect(column * scale, row * scale, scale, scale);
    }
  }

  featureUnder(event: MouseEvent): number {
    const { image } = this;
    const box = this.canvas.getBoundingClientRect();
    const clamp = (value: number, end: number): number =>
      Math.min(end - 1, Math.max(0, Math.floor(value)));
    const row = clamp(((event.clientY - box.top) / box.height) * image.height, image.height);
    const column = clamp(((event.clientX - box.left) / box.width) * image.width, image.width);
    return featureAt(image, row, column);
  }
}

export function imagePanel(store: Store, image: PixelImage, opened: () => void): HTMLElement {
  const under = el("p", { class: "note", id: "pixel-note" }, "Point at a pixel to read it.");
  const pictures = kModes.map(({ mode, title }) => new Picture(image, mode, title));
  const figures = pictures.map((picture, k) => {
    picture.canvas.addEventListener("mousemove", (event) => {
      under.textContent = featureText(store.state, picture.featureUnder(event));
    });
    picture.canvas.addEventListener("click", (event) => {
      store.open(picture.featureUnder(event));
      opened();
    });
    return el(
      "figure",
      {},
      el("figcaption", {}, kModes[k].title),
      picture.canvas,
      el("p", { class: "note" }, kModes[k].note),
    );
  });
  store.listen((state) => {
    for (const picture of pictures) picture.draw(state);
  });
  return section(
    "image-panel",
    "The features as an image",
    el("div", { class: "pictures" }, ...figures),
    under,
  );
}
