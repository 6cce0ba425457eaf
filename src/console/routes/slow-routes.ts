import { askAdmin } from '../../commands/ensemble/admin.js';
import { nameOf } from '../../commands/ensemble/member-address.js';
import { text } from '../api/schema.js';
import { Word } from '../api/shapes.js';
import { noAnswer, unknownAdmin } from '../problem.js';
import { type Route, route } from '../route.js';

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

export const SLOW_ROUTES: readonly Route[] = [slowRequests];
