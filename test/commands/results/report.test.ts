import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TASK_FORMATS } from '../../../src/commands/program/output-format.js';
import { renderReport } from '../../../src/commands/results/report.js';
import type { Report, Row } from '../../../src/commands/results/result.js';
import { schemaFaults } from '../../support/pages/json-schema.js';
import { readProjectFile } from '../../support/tidy/source-file.js';

type TaskFormat = (typeof TASK_FORMATS)[number];

const ROWS: readonly Row[] = [
  ['/a "quoted", path', 12_000, 0x1_0000_0001n],
  ['/b', undefined, 2n],
];

function report(more: Partial<Report> = {}): Report {
  return {
    columns: [
      { title: 'PATH', key: 'path', width: 8 },
      { title: 'BYTES', key: 'bytes', show: (value) => `${Number(value) / 1000}k` },
      { title: 'ID', key: 'id' },
    ],
    rows: [ROWS.slice(0, 1), [], ROWS.slice(1)],
    finish: () => ({
      verdict: {
        level: 'warning',
        summary: 'not all | is well',
        problems: [
          { level: 'warning', code: 'no-quorum', text: 'something\u001b[31m' },
          { level: 'warning', code: 'member:refused', server: 'zk1:2181', text: 'else' },
        ],
      },
      notes: ['A note.'],
      totals: { bytes: 12n },
    }),
    ...more,
  };
}

async function rendered(output: TaskFormat, from = report(), isQuiet = false): Promise<string> {
  const show = { output, isQuiet, verb: 'snap test', time: '2026-01-02T03:04:05.000Z' };
  const pieces = renderReport(from, show, { width: 80, isColor: false });
  let text = '';
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) {
      assert.is(value, 'warning');
      return text;
    }
    text += value;
  }
}

const VERDICT =
  '"verdict":{"level":"warning","summary":"not all | is well","problems":' +
  '[{"level":"warning","code":"no-quorum","text":"something\\u001b[31m"},' +
  '{"level":"warning","code":"member:refused","server":"zk1:2181","text":"else"}],"exitCode":1},' +
  '"notes":["A note."],"totals":{"bytes":"12"}}\n';
const START = '{"schema":"zkops-rows/1","verb":"snap test","time":"2026-01-02T03:04:05.000Z",';

const EXPECTED: Readonly<Record<TaskFormat, string>> = {
  table: `PATH               BYTES          ID
/a "quoted", path    12k  4294967297
/b                     -           2

something\\u{1b}[31m.
zk1:2181: else.
A note.
See runbook: no-quorum, member:refused
WARNING: not all | is well
`,
  csv: 'path,bytes,id\n"/a ""quoted"", path",12000,4294967297\n/b,,2\n',
  plain: '/a "quoted", path\t12000\t4294967297\n/b\t-\t2\n',
  json:
    `${START}"rows":[\n  {"path":"/a \\"quoted\\", path","bytes":12000,"id":"4294967297"},\n` +
    `  {"path":"/b","bytes":null,"id":"2"}\n],${VERDICT}`,
  ndjson:
    '{"path":"/a \\"quoted\\", path","bytes":12000,"id":"4294967297"}\n' +
    `{"path":"/b","bytes":null,"id":"2"}\n${START}${VERDICT}`,
  prom:
    '# HELP zkops_verdict 0 healthy, 1 warning, 2 critical, 3 cannot judge.\n' +
    '# TYPE zkops_verdict gauge\nzkops_verdict{task="snap test"} 1\n' +
    '# HELP zkops_last_run_timestamp_seconds Time of the last query of the ensemble.\n' +
    '# TYPE zkops_last_run_timestamp_seconds gauge\n' +
    'zkops_last_run_timestamp_seconds{task="snap test"} 1767323045\n' +
    '# HELP zkops_problem Number of problems in the verdict, by kind.\n' +
    '# TYPE zkops_problem gauge\n' +
    'zkops_problem{task="snap test",server="",code="no-quorum",level="warning"} 1\n' +
    'zkops_problem{task="snap test",server="zk1:2181",code="member:refused",level="warning"} 1\n',
  nagios: 'ZOOKEEPER WARNING - not all / is well; something\\u{1b}[31m; zk1:2181: else\n',
};

for (const format of TASK_FORMATS) {
  test(`a report as ${format}`, async () => {
    assert.is(await rendered(format), EXPECTED[format]);
  });
}

test('an endless report is printed row by row, in columns of declared widths', async () => {
  const text = await rendered('table', report({ isEndless: true, isPlain: true }));
  assert.is(
    text.split('\n\n')[0],
    'PATH      BYTES  ID\n/a "quoted", path    12k  4294967297\n/b            -   2',
  );
});

test('a table of sentences that is too wide has a paragraph for each row', async () => {
  const columns = [{ key: 'limit' }, { key: 'what_to_do' }];
  const rows = [
    ['lag', 'check the network between the members, and the disks of the followers, and more'],
    ['out', undefined],
  ];
  const text = await rendered('table', report({ columns, rows: [rows], isProse: true }));
  assert.is(
    text.split('\n\n').slice(0, 2).join('\n\n'),
    'lag\nwhat to do: check the network between the members, and the disks of the\n' +
      '  followers, and more\n\nout',
  );
});

test('-q prints one dated line per problem', async () => {
  assert.is(
    await rendered('table', report(), true),
    '2026-01-02T03:04:05.000Z WARNING something\\u{1b}[31m\n2026-01-02T03:04:05.000Z WARNING zk1:2181: else\n',
  );
});

test('JSON matches docs/zkops-rows-1.schema.json', async () => {
  const schema = JSON.parse(readProjectFile('docs/zkops-rows-1.schema.json'));
  assert.equal(schemaFaults(schema, JSON.parse(await rendered('json'))), []);
  assert.ok(schemaFaults(schema, { schema: 'zkops/1' }).length > 0, 'the schema can fail');
});

test('a document is printed unchanged', async () => {
  assert.is(await rendered('json', report({ document: 'a: b\n' })), 'a: b\n');
});

test.run();
