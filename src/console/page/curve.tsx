import { useEffect, useRef } from 'preact/hooks';
// Small, and fast with many points.
import uPlot from 'uplot';
import type { Trend } from '../api/shapes.js';
import { clock } from './words.js';

const HEIGHT = 140;
export const AXIS_WIDTH = 56;
/** 100M: the axis would cut longer numbers. */
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });
/** Each has a contrast of 3:1 to both backgrounds. */
const COLORS = ['#2f7ed8', '#c2541e', '#2e8b57', '#a04ad0', '#9a7b0a', '#d6336c', '#0f8a97'];

/** The color of a member, by its place in the list. */
export function colorOf(at: number): string {
  return COLORS[at % COLORS.length] ?? '#888';
}

interface Props {
  readonly title: string;
  readonly figure: string;
  readonly trend: Trend;
}

export function Curve({ title, figure, trend }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const series = trend.series.filter((one) => one.figure === figure);
  const names = series.map(({ server }) => server).join();
  const data: uPlot.AlignedData = [[...trend.times], ...series.map(({ values }) => [...values])];
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const labels = names.split(',');
    const made = new uPlot(optionsOf(title, labels, box), [[], ...labels.map(() => [])], box);
    plot.current = made;
    const watcher = new ResizeObserver(() =>
      made.setSize({ width: box.clientWidth, height: HEIGHT }),
    );
    watcher.observe(box);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [title, names]);
  useEffect(() => plot.current?.setData(data));
  return <div class="curve" ref={place} role="img" aria-label={`${title}, over the last hour`} />;
}

function optionsOf(title: string, names: readonly string[], box: HTMLElement): uPlot.Options {
  const ink = getComputedStyle(box).color;
  const axis = { stroke: ink, grid: { stroke: '#8884', width: 1 }, ticks: { show: false } };
  return {
    title,
    width: box.clientWidth,
    height: HEIGHT,
    cursor: { y: false },
    scales: { y: { range: (_, min, max) => [Math.min(0, min), Math.max(1, max * 1.1)] } },
    axes: [
      {
        ...axis,
        space: 70,
        values: (_, splits, __, ___, step) =>
          splits.map((seconds) => clock(seconds * 1000).slice(0, step < 60 ? 8 : 5)),
      },
      { ...axis, size: AXIS_WIDTH, values: (_, splits) => splits.map(SHORT.format) },
    ],
    series: [
      { value: (_, seconds) => (seconds === null ? '--' : clock(seconds * 1000)) },
      ...names.map((label, at) => ({
        label,
        stroke: colorOf(at),
        width: 1.5,
      })),
    ],
  };
}
