// A page in one file, to mail, keep, or open from a disk.

import { safeLine } from '../../../protocol/sanitize.js';
import type { Member } from '../../ensemble/member.js';
import type { Level, OpsResult, TrendFigures, TrendPoint } from '../../ensemble/verdict/result.js';
import { counted } from '../../program/counted.js';
import { shownCell } from './ops-cells.js';
import { changeText } from './ops-footnotes.js';
import { escapeHtml, svgPlot, svgStrip } from './svg-plot.js';

const COLORS: Readonly<Record<Level, string>> = {
  healthy: '#2e9e5b',
  warning: '#d99a00',
  critical: '#d43c3c',
  unknown: '#8a63d2',
};
const LINES = ['#3b82f6', '#e0662e', '#2e9e5b', '#b0449c', '#c7a008', '#1aa3a3', '#8a63d2', '#777'];

type Figure = Exclude<keyof TrendFigures, 'isServing'>;
const PLOTS: readonly (readonly [title: string, figure: Figure])[] = [
  ['Requests a second', 'requestsPerSecond'],
  ['Writes a second', 'writesPerSecond'],
  ['Mean latency, ms', 'latencyMs'],
  ['Outstanding requests', 'outstanding'],
  ['Connections', 'connections'],
  ['Znodes', 'znodes'],
];

const STYLE = `
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.verdict { border-left: .4rem solid; padding: .5rem .8rem; margin: 1rem 0; font-size: 1.1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; } th { vertical-align: bottom; overflow-wrap: normal; }
td.figure, th.figure { text-align: right; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: currentColor; opacity: .75; }
svg .figure, svg .end { text-anchor: end; } svg .grid { stroke: #8884; }
.legend span { margin-right: 1rem; white-space: nowrap; }
.dot { display: inline-block; width: .7em; height: .7em; border-radius: 50%; margin-right: .35em; }
footer { margin-top: 2rem; opacity: .7; }
`;

export function opsToHtml(result: OpsResult): string {
  const { verdict, time, members } = result;
  const { level, summary } = verdict;
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
    `<title>${level.toUpperCase()}: ZooKeeper, ${counted(members.length, 'member')}</title>\n`,
    `<style>${STYLE}</style>\n</head>\n<body>\n`,
    '<h1>ZooKeeper ensemble</h1>\n',
    `<p>${counted(members.length, 'member')}, asked at ${html(time)}</p>\n`,
    `<p class="verdict" style="border-color: ${COLORS[level]}"><strong>${level.toUpperCase()}</strong>: `,
    `${html(summary)}</p>\n`,
    memberTable(result),
    findings(result),
    changes(result),
    trends(result.trend ?? [], members),
    '<footer>zkops report</footer>\n</body>\n</html>\n',
  ].join('');
}

function html(text: string): string {
  return escapeHtml(safeLine(text));
}

function memberTable({ verb, members }: OpsResult): string {
  const columns = verb.columns.filter((column) =>
    members.some((member) => column.value(member, members) !== undefined),
  );
  const isFigure = columns.map((column) =>
    members.some((member) => ['number', 'bigint'].includes(typeof column.value(member, members))),
  );
  const mark = (at: number) => (isFigure[at] === true ? ' class="figure"' : '');
  const titles = columns.map((column, at) => `<th${mark(at)}>${html(column.title)}</th>`);
  const rows = members.map((member) => {
    const cells = columns.map(
      (column, at) => `<td${mark(at)}>${html(shownCell(column, member, members))}</td>`,
    );
    return `<tr><th>${dot(COLORS[levelOf(member)])}${html(member.server)}</th>${cells.join('')}</tr>\n`;
  });
  return (
    '<h2>Members</h2>\n<div class="scroll"><table>\n' +
    `<tr><th>MEMBER</th>${titles.join('')}</tr>\n${rows.join('')}</table></div>\n`
  );
}

function levelOf({ state, fault }: Member): Level {
  if (fault === undefined) return 'healthy';
  return state === 'read-only' ? 'warning' : 'critical';
}

function dot(color: string): string {
  return `<span class="dot" style="background: ${color}"></span>`;
}

function findings({ verdict, members }: OpsResult): string {
  const problems = [...verdict.problems, ...(verdict.pending ?? [])].map(
    ({ level, server, text, limit }) => {
      const about = server === undefined ? '' : `<strong>${html(server)}</strong>: `;
      const source = limit === undefined ? '' : ` <small>(limit: ${html(limit.source)})</small>`;
      return `<li>${dot(COLORS[level])}${about}${html(text)}${source}</li>\n`;
    },
  );
  const notes = members.flatMap(({ note, server }) =>
    note === undefined
      ? []
      : [`<li><strong>${html(server)}</strong>: ${html(`${note.message}; ${note.advice}`)}</li>\n`],
  );
  const all = [...problems, ...notes];
  const body = all.length === 0 ? '<p>None.</p>\n' : `<ul>\n${all.join('')}</ul>\n`;
  return `<h2>Findings</h2>\n${body}`;
}

function changes({ changes: all = [] }: OpsResult): string {
  if (all.length === 0) return '';
  const lines = all.map((change) => `<li>${html(changeText(change))}</li>\n`);
  return `<h2>New since the previous run</h2>\n<ul>\n${lines.join('')}</ul>\n`;
}

function trends(points: readonly TrendPoint[], members: readonly Member[]): string {
  if (points.length < 2) {
    return '<h2>Trend</h2>\n<p>No data yet: the trend comes from the runs in a --state file.</p>\n';
  }
  const timesMs = points.map(({ time }) => Date.parse(time));
  const colorOf = (at: number) => LINES[at % LINES.length] ?? '#777';
  const plots = PLOTS.flatMap(([title, figure]) => {
    const series = members.map(({ server }, at) => ({
      name: server,
      color: colorOf(at),
      values: points.map((point) => point.members[server]?.[figure]),
    }));
    if (!series.some(({ values }) => values.some((value) => value !== undefined))) return [];
    const plot = svgPlot({ title, series, timesMs });
    return [`<figure><figcaption>${title}</figcaption>${plot}</figure>\n`];
  });
  const legend = members.map(({ server }, at) => `<span>${dot(colorOf(at))}${html(server)}</span>`);
  const strip = svgStrip(
    timesMs,
    points.map(({ level }) => COLORS[level]),
  );
  return (
    `<h2>Trend of ${points.length} runs</h2>\n<p class="legend">${legend.join('')}</p>\n` +
    `<figure><figcaption>Verdict</figcaption>${strip}</figure>\n` +
    `<div class="plots">\n${plots.join('')}</div>\n`
  );
}
