import type { CallOptions, CreateResult, Op, ZooKeeperClient } from '../base/client.js';
import type { ZooKeeperError } from '../base/errors.js';
import { checkClient } from '../check-client.js';
import { Attempts, checkPolicy, endOf, isTransient, type RetryPolicy } from './policy.js';
import { determineOutcome, type Outcome, type SentWrite } from './proof.js';

type Method = (...args: unknown[]) => Promise<unknown>;

/** The idempotent methods, with the index of their CallOptions. */
const IDEMPOTENT: ReadonlyMap<string, number> = new Map<keyof ZooKeeperClient & string, number>([
  ['exists', 1],
  ['getData', 1],
  ['getACL', 1],
  ['getChildren', 1],
  ['getAllChildrenNumber', 1],
  ['getEphemerals', 1],
  ['sync', 1],
  ['getConfig', 0],
  ['whoAmI', 0],
  ['multiRead', 1],
  ['addAuth', 2],
  ['addWatch', 3],
]);

/**
 * Wraps a client and repeats calls that failed because of a lost connection, a timeout, or a busy
 * server. It repeats reads. It repeats a write only if it was not sent, or if the zxids of the
 * znodes prove that it did not happen. Otherwise the call rejects with the original error, whose
 * hasUnknownOutcome is true. An ephemeral of the same session counts as created. So no write
 * happens twice.
 *
 * A `timeoutMs` holds for each attempt, a `signal` for all of them.
 * @example
 * const patient = retryingClient(client, { attempts: 5 });
 * await patient.setData('/config', 'v2', 3);
 */
export function retryingClient(client: ZooKeeperClient, policy: RetryPolicy = {}): ZooKeeperClient {
  checkClient(client);
  const checked = checkPolicy(policy);
  const retrying = methodsOf(client, () => new Attempts(checked));
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const own: Method = value.bind(target);
      if (name === 'within') {
        return (path: string) => retryingClient(client.within(path), policy);
      }
      const at = IDEMPOTENT.get(String(name));
      if (at === undefined) return retrying.get(String(name)) ?? own;
      return (...args: unknown[]) =>
        repeat(new Attempts(checked), signalOf(args[at]), () => own(...args), always);
    },
  });
}

/** Decides after an error with an unknown outcome, or throws the error that ends the call. */
type Judge<T> = (error: ZooKeeperError) => Promise<'repeat' | { readonly value: T }>;

const always = async (): Promise<'repeat'> => 'repeat';

async function repeat<T>(
  attempts: Attempts,
  signal: AbortSignal | undefined,
  send: () => Promise<T>,
  judge: Judge<T>,
): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!(await attempts.next(signal))) throw endOf(error, signal);
      if (!error.hasUnknownOutcome) continue;
      const judgment = await judge(error);
      if (judgment !== 'repeat') return judgment.value;
    }
  }
}

type Writes = Pick<ZooKeeperClient, 'create' | 'delete' | 'setData' | 'setACL' | 'multi'>;

function methodsOf(
  client: ZooKeeperClient,
  begin: () => Attempts,
): ReadonlyMap<string, (...args: never[]) => unknown> {
  const write = <T>(
    op: SentWrite['op'],
    call: CallOptions | undefined,
    send: () => Promise<T>,
    whenHappened?: (created: CreateResult) => T,
  ): Promise<T> => {
    const attempts = begin();
    const zxid = client.lastZxid;
    return repeat(attempts, call?.signal, send, async (error) => {
      const proof = () => determineOutcome(client, { op, zxid }, limitsOf(call));
      const finding = await readStats(proof, attempts, call?.signal, error);
      if (finding.kind === 'did-not-happen') return 'repeat';
      if (finding.kind === 'unknown' || whenHappened === undefined) throw error;
      return { value: whenHappened(finding.created) };
    });
  };
  const methods: Writes = {
    create: (path, data, options) =>
      write(
        { op: 'create', path, options },
        options,
        () => client.create(path, data, options),
        (created) => created,
      ),
    delete: (path, version, call) =>
      write({ op: 'delete', path }, call, () => client.delete(path, version, call)),
    setData: (path, data, version, call) =>
      write({ op: 'set', path, data }, call, () => client.setData(path, data, version, call)),
    setACL: (path, acl, version = -1, call) =>
      write({ op: 'setACL', path, version }, call, () => client.setACL(path, acl, version, call)),
    multi: (ops, call) => {
      // A multi is atomic: one operation that did not happen proves it for all.
      const op = ops.find((each) => each.op !== 'check') ?? ops[0];
      const send = () => client.multi(ops, call);
      return op === undefined ? send() : write(withoutOwner(op), call, send);
    },
  };
  return new Map<string, (...args: never[]) => unknown>(Object.entries(methods));
}

/** Reads the Stats after a write, and repeats the reads after transient errors. */
async function readStats(
  proof: () => Promise<Outcome>,
  attempts: Attempts,
  signal: AbortSignal | undefined,
  lost: ZooKeeperError,
): Promise<Outcome> {
  for (;;) {
    try {
      return await proof();
    } catch (error) {
      // Whatever prevented the read, the outcome of the write stays unknown.
      if (!isTransient(error) || !(await attempts.next(signal))) throw endOf(lost, signal);
    }
  }
}

/** In a multi, the owner of an ephemeral does not prove that the whole multi happened. */
function withoutOwner(op: Op): Op {
  if (op.op !== 'create' || op.options?.mode?.isSequential === true) return op;
  return { op: 'create', path: op.path };
}

function limitsOf({ signal, timeoutMs }: CallOptions = {}): CallOptions {
  return { signal, timeoutMs };
}

function signalOf(options: unknown): AbortSignal | undefined {
  if (typeof options !== 'object' || options === null || !('signal' in options)) return undefined;
  return options.signal instanceof AbortSignal ? options.signal : undefined;
}
