// Apache ECharts with the parts that the page uses, in the page's colours.
import { BarChart, GraphChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { type EChartsCoreOption, type ECharts, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { colour, whenColoursChange } from "./colours";

use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  GraphChart,
  GridComponent,
  LegendComponent,
  LineChart,
  MarkLineComponent,
  ScatterChart,
  TooltipComponent,
]);

/** One chart, made when its element has a size, drawn anew when size or colours change. */
export class Chart {
  private chart: ECharts | null = null;
  private options: (() => EChartsCoreOption) | null = null;
  private readonly onceMade: ((chart: ECharts) => void)[] = [];

  constructor(readonly element: HTMLElement) {
    whenColoursChange(() => this.redraw());
    new ResizeObserver(() => this.fit()).observe(element);
  }

  draw(options: () => EChartsCoreOption): void {
    this.options = options;
    this.redraw();
  }

  redraw(): void {
    if (this.options === null || this.chart === null) return;
    const { tooltip, ...others } = this.options();
    this.chart.setOption(
      {
        animation: false,
        textStyle: { color: colour("text"), fontFamily: "inherit" },
        tooltip: { ...tooltipStyle(), ...(tooltip as object | undefined) },
        ...others,
      },
      { notMerge: true },
    );
  }

  onClick(call: (event: { dataType?: string; data?: unknown }) => void): void {
    this.onceMade.push((chart) => chart.on("click", (event) => call(event as object)));
  }

  /** A click anywhere in the plot, as a value of the horizontal axis. */
  onAxisClick(call: (x: number) => void): void {
    this.onceMade.push((chart) => {
      chart.getZr().on("click", (event: { offsetX: number; offsetY: number }) => {
        const at = [event.offsetX, event.offsetY];
        if (!chart.containPixel({ gridIndex: 0 }, at)) return;
        const [x] = chart.convertFromPixel({ gridIndex: 0 }, at) as number[];
        call(x);
      });
    });
  }

  private fit(): void {
    if (this.element.clientWidth === 0 || this.element.clientHeight === 0) return;
    if (this.chart === null) {
      this.chart = init(this.element);
      for (const call of this.onceMade) call(this.chart);
    } else {
      this.chart.resize();
    }
    this.redraw();
  }
}

/** Tooltips are drawn text: a feature's name is never markup. */
function tooltipStyle(): object {
  return {
    renderMode: "richText",
    confine: true,
    backgroundColor: colour("panel"),
    borderColor: colour("line"),
    textStyle: { color: colour("text") },
  };
}

/** An axis in the page's colours. */
export function axis(name: string, more: object = {}): object {
  return {
    name,
    nameLocation: "middle",
    nameGap: 32,
    nameTextStyle: { color: colour("muted") },
    axisLine: { lineStyle: { color: colour("line") } },
    axisLabel: { color: colour("muted") },
    splitLine: { lineStyle: { color: colour("line"), opacity: 0.5 } },
    ...more,
  };
}
