import { askAdmin } from '../../commands/ensemble/admin.js';
import { nameOf } from '../../commands/ensemble/member-address.js';
import { statusOf } from '../../commands/ensemble/status.js';
import { ExitCode } from '../../commands/program/command-error.js';
import { integer, text } from '../api/schema.js';
import { About, ChangeList, Probe, Undone, UndoView, Word } from '../api/shapes.js';
import { HttpProblem, noAnswer, unknownAdmin } from '../problem.js';
import { type Route, route } from '../route.js';
import { ENSEMBLE_ROUTES } from './ensemble-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import { TRANSFER_ROUTES } from './transfer-routes.js';
import { ZNODE_ROUTES } from './znode-routes.js';

const about = route({
  method: 'GET',
  path: '',
  summary: 'Show the console: its version, its servers, and the login',
  answer: About,
  run: async ({ about }) => ({ value: about }),
});

const openapi = route({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Show this document',
  answer: undefined,
  run: async ({ openApi }) => ({ value: openApi() }),
});

const live = route({
  method: 'GET',
  path: '/live',
  summary: 'Check that the console runs: for a liveness probe',
  answer: Probe,
  isOpen: true,
  run: async () => ({ value: { status: 'live' } }),
});

const ready = route({
  method: 'GET',
  path: '/ready',
  summary: 'Check that the ensemble serves: for a readiness probe',
  answer: Probe,
  isOpen: true,
  run: async ({ poller }) => {
    const { verdict, members } = await poller.latest();
    const { level } = verdict;
    // A whitelist may hide the figures of an ensemble that serves.
    const isServing = members.some((member) => statusOf(member).isServing);
    if (level !== 'critical' && isServing) return { value: { status: 'ready' } };
    throw new HttpProblem(503, 'NOTREADY', `the ensemble is ${level}`, {
      exitCode: ExitCode.connection,
    });
  },
});

const ABOUT_ROUTES: readonly Route[] = [about, openapi, live, ready];

const id = integer('from /changes');

const changes = route({
  method: 'GET',
  path: '/changes',
  summary: 'Show the last changes of this login, which it may undo',
  answer: ChangeList,
  run: async ({ about, changes }) => ({ value: { changes: changes.list(about.user) } }),
});

const undoPlan = route({
  method: 'GET',
  path: '/changes/{id}',
  summary: 'Show what an undo of a change would do',
  required: { id },
  answer: UndoView,
  problems: [404, 409],
  run: async ({ about, client, changes }, given) => ({
    value: await changes.plan(about.user, given.id, await client()),
  }),
});

const undo = route({
  method: 'POST',
  path: '/changes/{id}/undo',
  summary: 'Undo a change, if no other client changed its znodes since',
  required: { id },
  answer: Undone,
  problems: [404, 409],
  run: async ({ about, client, changes }, given, { note }) => {
    note({ title: changes.titleOf(about.user, given.id) });
    const { steps } = await changes.undo(about.user, given.id, await client());
    return { value: { id: given.id, steps: steps.length } };
  },
});

const CHANGE_ROUTES: readonly Route[] = [changes, undoPlan, undo];

const COMMAND = 'slow_requests';
const TIMEOUT_MS = 5000;
const MAX_ROWS = 200;
const MAX_CELL = 256;
/** The fields of the AdminServer, as columns. */
const FIELDS = ['time', 'operation', 'path', 'session_id', 'ms'] as const;

function cellOf(value: unknown): string | null {
  const isShown = typeof value === 'string' || typeof value === 'number';
  return isShown ? String(value).slice(0, MAX_CELL) : null;
}

function rowsOf(listed: unknown): (string | null)[][] {
  if (!Array.isArray(listed)) throw new Error('it gave no list');
  return listed.slice(-MAX_ROWS).map((entry) => {
    const values = new Map(Object.entries(Object(entry)));
    return FIELDS.map((field) => cellOf(values.get(field)));
  });
}

const slowRequests = route({
  method: 'GET',
  path: '/members/{server}/slow-requests',
  summary: 'List the last slow requests to a member, as its AdminServer does',
  required: { server: text('host:port, as /members lists it') },
  answer: Word,
  problems: [404, 502],
  run: async ({ poller }, { server }) => {
    const member = poller.members.find((each) => nameOf(each) === server);
    if (member?.adminPort === undefined) throw unknownAdmin(server);
    const place = { host: member.host, port: member.adminPort };
    try {
      const deadline = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await askAdmin(place, COMMAND, { timeoutMs: TIMEOUT_MS, deadline });
      const rows = rowsOf(answer[COMMAND]);
      const found = `${rows.length} requests took slowRequestThresholdMs of zoo.cfg`;
      const titles = FIELDS.map((field) => field.replace('_id', '').toUpperCase());
      return { value: { server, word: COMMAND, text: found, table: { titles, rows } } };
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, MAX_CELL) : 'no answer';
      const hint =
        "only zkserver lists slow requests: for Apache's servers, see the latencies of cons";
      throw noAnswer(`${server}: its AdminServer: ${reason}`, hint);
    }
  },
});

const SLOW_ROUTES: readonly Route[] = [slowRequests];

export const ROUTES: readonly Route[] = [
  ...ABOUT_ROUTES,
  ...ENSEMBLE_ROUTES,
  ...SLOW_ROUTES,
  ...ZNODE_ROUTES,
  ...EVENT_ROUTES,
  ...TRANSFER_ROUTES,
  ...CHANGE_ROUTES,
];
