/** The bodies of the HTTP API, also for the page. */
import {
  flag,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  text,
  type ValueOf,
} from './schema.js';

const level = oneOf(['healthy', 'warning', 'critical', 'unknown'], 'as in zkops health');
const time = text('ISO 8601');
/** Null for the root, and for a server that sends nonsense. */
const timeOrNull = orNull(text('ISO 8601; null if unknown, as for the root'));
const zxid = text('hexadecimal, with 0x');

export const About = object('About', {
  name: text(),
  version: text(),
  user: orNull(text('name of the login')),
  allowWrites: flag('whether the console may change znodes'),
  servers: text('connect string, for command lines of zksh'),
  members: text('the addresses of all members, for command lines of zkops'),
  tlsOptions: list(text(), 'the TLS options of the console, for command lines'),
  protected: list(text(), 'paths at and below which the console changes nothing'),
  recorded: list(text(), 'paths whose events are recorded from the start'),
  intervalMs: integer('time between two polls'),
});

export const Probe = object('Probe', { status: text() });

export const Problem = object(
  'Problem',
  {
    type: text(),
    title: text(),
    status: integer('HTTP status'),
    detail: text('one sentence'),
    code: text("ZooKeeper's name, as NONODE, or one of the console"),
    exitStatus: text('name of the exit status of zksh'),
    exitCode: integer('exit status of zksh'),
  },
  { path: text(), hint: text('what to do') },
);

const Finding = object(
  'Finding',
  { level, code: text(), text: text() },
  {
    server: text(),
    servers: list(text()),
    runbook: text('the entry of docs/runbook.md: what it means, and what to do'),
  },
);

const Change = object(
  'Change',
  {
    time,
    kind: oneOf(['problem', 'level', 'recovered', 'role', 'restart', 'election']),
    level,
    text: text(),
  },
  { server: text() },
);

const Cell = object('Cell', { shown: text() }, { level });

const MemberView = object(
  'MemberView',
  {
    server: text('its name, or else its address'),
    address: text('its host:port, with zks:// for TLS, for command lines'),
    state: text(),
    role: orNull(text()),
    level,
    cells: list(Cell, 'one for each column'),
  },
  {
    fault: text('why the member did not answer, and what to do'),
    adminUrl: text('its AdminServer, if /members/{server}/snapshot answers'),
  },
);

export const Ensemble = object('Ensemble', {
  time,
  level,
  summary: text('the sentence of zkops health'),
  exitCode: integer('the exit status of zkops health'),
  problems: list(Finding),
  changes: list(Change, 'newest first'),
  columns: list(object('Column', { key: text(), title: text(), about: text() })),
  members: list(MemberView),
});

export const Members = object('Members', { members: list(MemberView) });

export const Health = object('Health', {
  schema: text('zkops/1: see docs/zkops-1.schema.json'),
  verb: text(),
  time,
  verdict: object('Verdict', { level, summary: text(), exitCode: integer() }),
  members: list(object('Member', { server: text(), state: text(), role: orNull(text()) })),
});

export const Trend = object('Trend', {
  times: list(number('seconds since 1970')),
  leaders: list(
    object('LeaderSpan', {
      from: number('seconds since 1970'),
      to: number('seconds since 1970'),
      server: orNull(text('null while no member led')),
    }),
    'oldest first; without the times when the console did not run',
  ),
  series: list(
    object('Series', {
      server: text(),
      figure: text(),
      values: list(orNull(number())),
    }),
  ),
});

export const Differences = object('Differences', {
  servers: list(text()),
  rows: list(
    object('Difference', { key: text(), values: list(orNull(text()), 'one for each server') }),
  ),
});

export const Word = object(
  'Word',
  { server: text(), word: text(), text: text() },
  {
    table: object('Table', {
      titles: list(text()),
      rows: list(list(orNull(text()))),
    }),
  },
);

export const SessionOwner = object('SessionOwner', {
  id: text('hexadecimal, with 0x'),
  server: orNull(text('member of the connection')),
  client: orNull(text('address and port of the client')),
  lastOperation: orNull(text()),
  note: orNull(text('why the client is unknown')),
});

export const Stat = object('Stat', {
  czxid: zxid,
  mzxid: zxid,
  pzxid: zxid,
  created: timeOrNull,
  modified: timeOrNull,
  version: integer(),
  cversion: integer(),
  aversion: integer(),
  ephemeralOwner: orNull(text('session id, hexadecimal, with 0x')),
  dataLength: integer(),
  numChildren: integer(),
});

export const Acl = object('Acl', { scheme: text(), id: text(), perms: text('out of cdrwa') });

export const Znode = object('Znode', {
  path: text(),
  data: orNull(text('base64; null if the znode has none')),
  compression: orNull(text('of the stored data, by its first bytes: gzip, zlib, snappy, zstd')),
  stat: Stat,
  acl: orNull(list(Acl)),
});

export const Changed = object('Changed', { path: text(), stat: Stat });
export const Deleted = object('Deleted', { path: text(), count: integer('deleted znodes') });

export const Imported = object('Imported', {
  path: text('root of the restored znodes'),
  znodes: integer(),
  bytes: integer(),
  existing: integer('znodes that exist already; after an import, those left unchanged'),
  sample: list(text(), 'the first paths of the dump, at their new place'),
  isDryRun: flag(),
});

export const ChangeList = object('ChangeList', {
  changes: list(
    object('ChangeEntry', {
      id: integer(),
      time,
      title: text(),
      znodes: integer('number of changed znodes'),
      refusal: orNull(text('why it cannot be undone')),
    }),
    'of this login, newest first',
  ),
});

const PathReason = object('PathReason', { path: text(), why: text() });

export const UndoView = object('UndoView', {
  id: integer(),
  title: text(),
  steps: list(object('UndoStep', { path: text(), what: text(), detail: text() })),
  total: integer('number of steps; "steps" has the first 100'),
  conflicts: list(PathReason, 'znodes that changed since: the undo would change nothing'),
  lost: list(PathReason, 'what no undo can restore'),
});

export const Undone = object('Undone', { id: integer(), steps: integer() });

const Child = object('Child', {
  name: text(),
  numChildren: integer(),
  dataLength: integer(),
  version: integer(),
  modified: timeOrNull,
  ephemeralOwner: orNull(text()),
});

export const Children = object('Children', {
  path: text(),
  total: integer('number of children'),
  offset: integer('index of the first child of this page, in the order of names'),
  index: orNull(integer('index of the name in "find"')),
  children: list(Child, 'without those deleted meanwhile'),
});

export const Subtree = object('Subtree', {
  path: text(),
  count: integer('number of znodes, with the root'),
  isWhole: flag('false if the count ended at its limit'),
  ephemerals: integer(),
  bytes: integer('bytes of data'),
  sample: list(text(), 'the first paths of the subtree'),
});

export const Match = object('Match', {
  path: text(),
  modified: timeOrNull,
  version: integer(),
  dataLength: integer(),
});

export const Search = object('Search', {
  matches: list(Match),
  visited: integer('znodes read by this request'),
  next: orNull(text('value of "after" for the next request; null at the end')),
});

export const LiveEvent = object('LiveEvent', {
  time,
  type: text('NodeCreated, NodeDeleted, NodeDataChanged'),
  path: text(),
  zxid: orNull(zxid),
});

export const History = object('History', {
  since: time,
  events: list(LiveEvent, 'newest first'),
});

export type About = ValueOf<typeof About>;
export type Problem = ValueOf<typeof Problem>;
export type Ensemble = ValueOf<typeof Ensemble>;
export type Trend = ValueOf<typeof Trend>;
export type Differences = ValueOf<typeof Differences>;
export type Word = ValueOf<typeof Word>;
export type Table = NonNullable<Word['table']>;
export type SessionOwner = ValueOf<typeof SessionOwner>;
export type Stat = ValueOf<typeof Stat>;
export type Acl = ValueOf<typeof Acl>;
export type Znode = ValueOf<typeof Znode>;
export type Children = ValueOf<typeof Children>;
export type Subtree = ValueOf<typeof Subtree>;
export type Match = ValueOf<typeof Match>;
export type Search = ValueOf<typeof Search>;
export type LiveEvent = ValueOf<typeof LiveEvent>;
export type Imported = ValueOf<typeof Imported>;
export type ChangeList = ValueOf<typeof ChangeList>;
export type ChangeEntry = ChangeList['changes'][number];
export type UndoView = ValueOf<typeof UndoView>;
export type History = ValueOf<typeof History>;
