/** Draws curves as an SVG for the documentation, readable on a light and a dark page. */

export interface Curve {
  readonly name: string;
  /** In the order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
  readonly isDashed?: boolean;
}

export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Powers of ten instead of equal steps. */
  readonly isXLogarithmic?: boolean;
  readonly curves: readonly Curve[];
}

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 70;
const RIGHT = 170;
const TOP = 40;
const BOTTOM = 50;
/** From the palette of Okabe and Ito, which color-blind readers can tell apart. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const STEPS = [1, 2, 2.5, 5, 10];

export function plotSvg(plot: Plot): string {
  const xs = plot.curves.flatMap(({ points }) => points.map(([x]) => x));
  const ys = plot.curves.flatMap(({ points }) => points.map(([, y]) => y));
  const yTicks = ticksTo(Math.max(...ys));
  const toX = plot.isXLogarithmic === true ? (x: number) => Math.log10(Math.max(x, 1)) : Number;
  const [least, most] = [toX(Math.min(...xs)), toX(Math.max(...xs))];
  const left = (x: number) =>
    LEFT + ((toX(x) - least) / (most - least || 1)) * (WIDTH - LEFT - RIGHT);
  const top = (y: number) => HEIGHT - BOTTOM - (y / (yTicks.at(-1) ?? 1)) * (HEIGHT - TOP - BOTTOM);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">`,
    `<title>${escapeHtml(plot.title)}</title>`,
    STYLE,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    text(LEFT, 22, plot.title, 'class="head"'),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, plot.xLabel, 'text-anchor="middle"'),
    text(LEFT - 60, TOP - 6, plot.yLabel, ''),
  ];
  for (const y of yTicks) {
    parts.push(`<path class="grid" d="M${LEFT} ${fixed(top(y))}H${WIDTH - RIGHT}"/>`);
    parts.push(text(LEFT - 8, top(y) + 4, shortNumber(y), 'text-anchor="end"'));
  }
  for (const x of new Set(xs)) {
    parts.push(text(left(x), HEIGHT - BOTTOM + 18, shortNumber(x), 'text-anchor="middle"'));
  }
  for (const [i, curve] of plot.curves.entries()) {
    const color = COLORS[i % COLORS.length] ?? '';
    const dash = curve.isDashed === true ? ' stroke-dasharray="6 4"' : '';
    const line = curve.points.map(([x, y]) => `${fixed(left(x))},${fixed(top(y))}`).join(' ');
    parts.push(`<polyline points="${line}" stroke="${color}"${dash}/>`);
    for (const [x, y] of curve.points) {
      parts.push(`<circle cx="${fixed(left(x))}" cy="${fixed(top(y))}" r="3" fill="${color}"/>`);
    }
    const at = TOP + 10 + i * 22;
    const from = WIDTH - RIGHT + 14;
    parts.push(`<path d="M${from} ${at}h24" stroke="${color}" stroke-width="2"${dash}/>`);
    parts.push(text(from + 32, at + 4, curve.name, ''));
  }
  return `${parts.join('\n')}\n</svg>\n`;
}

const STYLE = `<style>
text { font: 12px sans-serif; fill: #1f2328 }
.head { font-weight: bold; font-size: 14px }
.page { fill: #fff }
.grid { stroke: #8884 }
polyline { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .page { fill: #0d1117 } }
</style>`;

/** Equal steps from 0 to `most` or a little above. */
function ticksTo(most: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10(most / 5));
  const step = magnitude * (STEPS.find((each) => each * magnitude * 5 >= most) ?? 10);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
}

function shortNumber(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`;
  return value >= 1000 ? `${value / 1000} k` : String(Number(value.toFixed(2)));
}

function text(x: number, y: number, words: string, more: string): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" ${more}>${escapeHtml(words)}</text>`;
}

function fixed(value: number): string {
  return value.toFixed(1);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
