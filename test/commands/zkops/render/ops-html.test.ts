import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpsResult, TrendPoint } from '../../../../src/commands/ensemble/verdict/result.js';
import { main } from '../../../../src/commands/zkops/cli.js';
import { opsToHtml } from '../../../../src/commands/zkops/render/ops-html.js';
import { svgPlot } from '../../../../src/commands/zkops/render/svg-plot.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { answering, captured, failing, srvrText, verbNamed } from '../members-of.js';
import { resultOf, TIME } from '../results.js';

const report = verbNamed('report');

function points(count: number): readonly TrendPoint[] {
  return Array.from({ length: count }, (_, at) => ({
    time: new Date(Date.parse(TIME) + at * 60_000).toISOString(),
    level: at === 1 ? 'critical' : 'healthy',
    members: {
      '10.0.0.1:1': { isServing: true, znodes: 9 + at, requestsPerSecond: at * 10 },
      ...(at === 1 ? {} : { '10.0.0.1:2': { isServing: true, znodes: 9 } }),
    },
  }));
}

const page = (more: Partial<OpsResult> = {}) =>
  opsToHtml(resultOf(report, [captured(report, 'leader', 1), failing(report, 2, 'refused')], more));

/** Asserts that every tag is closed, in order. */
function checkTags(html: string): void {
  const open: string[] = [];
  for (const [, slash, name = '', self] of html.matchAll(/<(\/?)([a-z0-9]+)[^<>]*?(\/?)>/g)) {
    if (name === 'meta' || self === '/') continue;
    if (slash === '') open.push(name);
    else assert.is(open.pop(), name);
  }
  assert.equal(open, []);
}

test('the page has the verdict, every member, and the findings, and links to nothing', () => {
  const html = page();
  checkTags(html);
  for (const text of ['WARNING', '10.0.0.1:1', '10.0.0.1:2', 'connection refused', 'leader']) {
    assert.ok(html.includes(text), text);
  }
  assert.not.match(html, /<(script|link|img|iframe)|src=|href=|url\(|@import/);
  assert.match(html, 'No data yet: the trend comes from the runs in a --state file');
});

test('the trend has one plot per reported metric, and a strip of verdicts', () => {
  const html = page({ trend: points(4) });
  checkTags(html);
  assert.match(html, '<h2>Trend of 4 runs</h2>');
  assert.equal(
    [...html.matchAll(/<figcaption>([^<]*)</g)].map(([, title]) => title),
    ['Verdict', 'Requests a second', 'Znodes'],
  );
  assert.is(html.match(/<rect /g)?.length, 4);
});

test('a gap in the values is a gap in the line', () => {
  const timesMs = [0, 1, 2, 3];
  const lines = (values: readonly (number | undefined)[]) =>
    svgPlot({ title: 't', timesMs, series: [{ name: 'a', color: 'red', values }] }).match(
      /<polyline/g,
    )?.length;
  assert.is(lines([1, 2, 3, 4]), 1);
  assert.is(lines([1, undefined, 3, 4]), 2);
  assert.is(lines([undefined, undefined, undefined, undefined]), undefined);
});

test('text from a server cannot inject markup', () => {
  const evil = answering(report, 1, (word) =>
    word === 'srvr' ? srvrText('<script>alert(1)</script>') : 'zk_version\t"><b>\n',
  );
  const html = opsToHtml(resultOf(report, [evil]));
  checkTags(html);
  assert.not.match(html, /<script|<b>/);
});

test('zkops report --html writes the page and prints nothing, and the exit code is the verdict', async () => {
  const folder = makeTempDir('zkops');
  try {
    const [file, state] = [join(folder.path, 'zk.html'), join(folder.path, 'state')];
    let out = '';
    const write = (text: string | Buffer) => {
      out += text;
    };
    const run = (html: string) =>
      main(['report', '--servers', 'a:1', '--html', html, '--state', state, '--confirm', '1'], {
        ask: (_, word) =>
          Promise.resolve(
            Buffer.from(word === 'srvr' ? srvrText('standalone') : 'zk_server_state\tstandalone\n'),
          ),
        now: () => new Date(0),
        terminal: { width: 80, isColor: false },
        writeOut: write,
        writeError: write,
        render: () => 'a table',
        renderPage: (result) => Promise.resolve(opsToHtml(result)),
      });
    assert.is(await run(file), 0);
    assert.is(await run(file), 0);
    assert.is(out, '');
    assert.match(readFileSync(file, 'utf8'), 'Trend of 2 runs');
    const away = join(folder.path, 'no', 'such.html');
    assert.is(await run(away), 3);
    assert.match(out, `zkops: --html ${away}: cannot write`);
    assert.is(existsSync(away), false);
  } finally {
    folder.remove();
  }
});

test.run();
