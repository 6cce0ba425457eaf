// Workers that share tasks: each registers, takes tasks from a queue, and counts them. One of them
// at a time writes the report. Run it: node worker.js 127.0.0.1:2181 alice
import {
  type ClientState,
  createClient,
  createIfMissing,
  jsonCodec,
  mkdirp,
  retryingClient,
  type SessionClient,
  setValue,
  updateValue,
  ZooKeeperError,
} from 'zksh/client';
import { Group, Lock, Queue, RecipeError } from 'zksh/recipes';

interface Task {
  readonly id: string;
  readonly size: number;
}
interface Report {
  readonly done: number;
  readonly by: string;
}

const ROOT = '/jobs';
const tasks = jsonCodec<Task>((value) => {
  const { id, size } = value as Partial<Task>;
  if (typeof id !== 'string' || typeof size !== 'number') throw new TypeError('not a task');
  return { id, size };
});
const reports = jsonCodec<Report>();

export class Worker {
  readonly name: string;
  readonly client: SessionClient;
  readonly states: ClientState[] = [];
  private readonly stop = new AbortController();

  constructor(connectString: string, name: string) {
    this.name = name;
    this.client = createClient({ connectString, sessionTimeoutMs: 10_000 });
    this.client.on('state', (state) => this.states.push(state));
    // A session that has ended never comes back: stop, and let a new worker begin.
    this.client.on('expired', (reason) => this.stop.abort(reason));
  }

  async start(): Promise<void> {
    await this.client.connect();
    const patient = retryingClient(this.client, { attempts: 5, firstDelayMs: 20 });
    await mkdirp(patient, `${ROOT}/queue`);
    await createIfMissing(patient, `${ROOT}/done`, '{"done":0,"by":""}');
    await new Group(this.client, `${ROOT}/workers`).join(this.name, String(process.pid));
  }

  async submit(task: Task): Promise<void> {
    await new Queue(this.client, `${ROOT}/queue`).put(tasks.encode(task));
  }

  /** Works until the session ends, or the signal is aborted. @returns the ids of its tasks */
  async run(signal: AbortSignal): Promise<string[]> {
    const ids: string[] = [];
    const queue = new Queue(this.client, `${ROOT}/queue`);
    const either = AbortSignal.any([signal, this.stop.signal]);
    while (!either.aborted) {
      try {
        const { data } = await queue.take({ signal: either });
        const { id, size } = tasks.decode(data);
        ids.push(id);
        await this.count(size);
      } catch (error) {
        if (either.aborted) break;
        if (error instanceof ZooKeeperError && !error.hasUnknownOutcome) throw error;
        if (error instanceof RecipeError) throw error;
      }
    }
    return ids;
  }

  /** One worker at a time writes; the token tells the newest writer from one that was paused. */
  async report(text: string): Promise<bigint> {
    const held = await new Lock(this.client, `${ROOT}/lock`).acquire({ timeoutMs: 5000 });
    try {
      await createIfMissing(this.client, `${ROOT}/report`, null);
      await setValue(this.client, `${ROOT}/report`, jsonCodec<string>(), text);
      return held.fencingToken;
    } finally {
      await held.release();
    }
  }

  async close(): Promise<void> {
    this.stop.abort(new Error('closed'));
    await this.client.close();
  }

  private async count(size: number): Promise<void> {
    await updateValue(this.client, `${ROOT}/done`, reports, ({ done }) => ({
      done: done + size,
      by: this.name,
    }));
  }
}

const [, script, connectString, name = 'worker'] = process.argv;
if (script?.endsWith('worker.js') && connectString !== undefined) {
  const worker = new Worker(connectString, name);
  await worker.start();
  const stopped = new AbortController();
  process.once('SIGTERM', () => stopped.abort());
  console.log(`${name} works`);
  await worker.run(stopped.signal);
  await worker.close();
}
