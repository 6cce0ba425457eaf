import { shortCount } from '../../ensemble/format.js';

export interface Series {
  readonly name: string;
  readonly color: string;
  /** One for each point in time; undefined breaks the line. */
  readonly values: readonly (number | undefined)[];
}

export interface Plot {
  readonly title: string;
  readonly series: readonly Series[];
  /** In ms since 1970, ascending. */
  readonly timesMs: readonly number[];
}

const WIDTH = 640;
const HEIGHT = 150;
const LEFT = 56;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 20;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Lines from zero to the highest value, as self-contained SVG. */
export function svgPlot({ title, series, timesMs }: Plot): string {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== undefined));
  const highest = Math.max(1, ...known);
  const x = timeScale(timesMs);
  const y = (value: number) => HEIGHT - BOTTOM - (value / highest) * (HEIGHT - BOTTOM - TOP);
  const lines = series.flatMap(({ name, color, values }) =>
    runsOf(values).map((run) => {
      const points = run.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
      // A line of one point would be invisible.
      const drawn = points.length === 1 ? [...points, ...points] : points;
      return (
        `<polyline points="${drawn.join(' ')}" fill="none" stroke="${color}" ` +
        `stroke-width="1.5" stroke-linecap="round"><title>${escapeHtml(name)}</title></polyline>`
      );
    }),
  );
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(part * highest).toFixed(1);
    return (
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" class="grid"/>` +
      `<text x="${LEFT - 6}" y="${at}" class="figure" dy="4">${shortCount(part * highest)}</text>`
    );
  });
  return (
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(title)}">` +
    `${grid.join('')}${lines.join('')}${clock(timesMs)}</svg>`
  );
}

/** The verdict of every run as a strip of colors. */
export function svgStrip(timesMs: readonly number[], colors: readonly string[]): string {
  const x = timeScale(timesMs);
  const bars = colors.map((color, at) => {
    const from = x(at);
    const to = at + 1 < colors.length ? x(at + 1) : WIDTH - RIGHT;
    const width = Math.max(1, to - from).toFixed(1);
    return `<rect x="${from.toFixed(1)}" y="4" width="${width}" height="14" fill="${color}"/>`;
  });
  return (
    `<svg viewBox="0 0 ${WIDTH} 24" role="img" aria-label="verdict">` + `${bars.join('')}</svg>`
  );
}

function timeScale(timesMs: readonly number[]): (at: number) => number {
  const first = timesMs[0] ?? 0;
  const span = Math.max(1, (timesMs.at(-1) ?? 0) - first);
  return (at) => LEFT + (((timesMs[at] ?? first) - first) / span) * (WIDTH - LEFT - RIGHT);
}

function clock(timesMs: readonly number[]): string {
  const text = (ms: number | undefined) =>
    ms === undefined ? '' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  return (
    `<text x="${LEFT}" y="${HEIGHT - 5}" class="time">${text(timesMs[0])}</text>` +
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 5}" class="time end">${text(timesMs.at(-1))}</text>`
  );
}

/** Values without gaps between them, with their indexes. */
function runsOf(values: readonly (number | undefined)[]): readonly (readonly [number, number])[][] {
  const runs: [number, number][][] = [];
  let run: [number, number][] | undefined;
  for (const [at, value] of values.entries()) {
    if (value === undefined) run = undefined;
    else if (run !== undefined) run.push([at, value]);
    else {
      run = [[at, value]];
      runs.push(run);
    }
  }
  return runs;
}
