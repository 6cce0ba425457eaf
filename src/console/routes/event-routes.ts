import type { ServerResponse } from 'node:http';
import { integer, text } from '../api/schema.js';
import { History, type LiveEvent, Search } from '../api/shapes.js';
import { badRequest, HttpProblem } from '../problem.js';
import { type Route, route } from '../route.js';
import { searchSubtree } from '../subtrees.js';

const FLUSH_MS = 200;
const HEARTBEAT_MS = 15_000;
/** Per flush; a page cannot show more. */
const MAX_AT_ONCE = 200;
const MAX_UNREAD_BYTES = 1024 * 1024;
const MAX_STREAMS = 64;

let streams = 0;

/** Server-sent events, sent a few times a second, so that a busy tree costs little. */
class EventStream {
  private readonly response: ServerResponse;
  private readonly timers: NodeJS.Timeout[];
  private pending: LiveEvent[] = [];
  private pathsLength = 0;
  private dropped = 0;
  private marks = new Set<string>();

  constructor(response: ServerResponse) {
    this.response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('retry: 1000\n\n');
    this.timers = [
      setInterval(() => this.flush(), FLUSH_MS),
      setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS),
    ];
  }

  add(event: LiveEvent): void {
    const length = this.pathsLength + event.path.length;
    if (this.pending.length >= MAX_AT_ONCE || length > MAX_UNREAD_BYTES) {
      this.dropped++;
      return;
    }
    this.pending.push(event);
    this.pathsLength = length;
  }

  /** An event without details, at most one per flush. */
  mark(name: string): void {
    this.marks.add(name);
  }

  private flush(): void {
    const { pending, dropped, marks, response } = this;
    const parts = [...marks].map((name) => [name, {}] as const);
    this.marks = new Set();
    if (parts.length === 0 && pending.length === 0 && dropped === 0) return;
    this.pending = [];
    this.pathsLength = 0;
    this.dropped = 0;
    const all = [
      ...parts,
      ...(pending.length === 0 && dropped === 0
        ? []
        : [['znodes', { events: pending, dropped }] as const]),
    ];
    for (const [name, data] of all) {
      response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    }
    // A slow reader would fill the memory.
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
  }
}

const events = route({
  method: 'GET',
  path: '/events',
  summary:
    'Stream events: "poll" after each poll of the members, "znodes" for changes below a path',
  optional: { path: text('watched with its subtree; without it, only "poll"') },
  answer: undefined,
  produces: 'text/event-stream',
  run: async ({ client, poller, live }, { path }, { response }) => {
    if (streams >= MAX_STREAMS) {
      throw new HttpProblem(503, 'TOOMANY', `${MAX_STREAMS} streams are open already`);
    }
    streams++;
    const ends: (() => void)[] = [
      () => {
        streams--;
      },
    ];
    const end = () => {
      for (const one of ends.splice(0)) one();
    };
    try {
      if (path !== undefined) {
        ends.push(await live.watch(await client(), path));
      }
    } catch (error) {
      end();
      throw error;
    }
    if (response.destroyed) {
      end();
      return undefined;
    }
    const stream = new EventStream(response);
    ends.push(
      () => stream.close(),
      poller.listen(() => stream.mark('poll')),
    );
    if (path !== undefined) {
      const onEvent = (event: LiveEvent) => stream.add(event);
      ends.push(live.listen({ path, onEvent, onGap: () => stream.mark('gap') }));
    }
    response.once('close', end);
    stream.mark('open');
    return undefined;
  },
});

const history = route({
  method: 'GET',
  path: '/history',
  summary: 'Show the recorded events at and below a path',
  required: { path: text() },
  optional: {
    seconds: integer('seconds back', { minimum: 1, default: 3600 }),
    limit: integer(undefined, { minimum: 1, maximum: 1000, default: 200 }),
  },
  answer: History,
  run: async ({ live }, { path, seconds = 3600, limit = 200 }) => ({
    value: { since: live.since, events: live.history(path, Date.now() - seconds * 1000, limit) },
  }),
});

const search = route({
  method: 'GET',
  path: '/search',
  summary: 'Search up to 2000 znodes of a subtree, or one second; continue with "after"',
  required: { path: text('the root of the search') },
  optional: {
    name: text('a part of the name; a pattern with * or ?; with /, a part of the path'),
    value: text('a part of the data'),
    changed: integer('changed in this number of seconds', { minimum: 1 }),
    after: text('the "next" of the previous answer'),
  },
  answer: Search,
  problems: [404],
  run: async ({ client }, { path, name, value, changed, after }) => {
    if (name === undefined && value === undefined && changed === undefined) {
      throw badRequest('name, value, or changed is missing');
    }
    const changedSinceMs = changed === undefined ? undefined : Date.now() - changed * 1000;
    return {
      value: await searchSubtree(await client(), {
        root: path,
        name,
        value,
        changedSinceMs,
        after,
      }),
    };
  },
});

export const EVENT_ROUTES: readonly Route[] = [events, history, search];
