import { InputArchive } from '../../../src/jute/input-archive.js';
import { ErrorCode, errorName } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import {
  CreateRequest,
  PathRequest,
  PathWatchRequest,
  SetDataRequest,
} from '../../../src/protocol/proto.js';
import type { Arguments, OpName, Part, Result } from '../../history/format.js';
import { HistoryRecorder } from '../../history/recorder.js';
import {
  CreateResponse,
  GetDataResponse,
  MultiHeader,
  SetDataResponse,
} from '../../support/bytes/jute-records.js';
import type { Answer, Asked } from './client-world.js';
import { Flags } from './requests.js';

/** The identity of a client in the recording: its name, and the name of its current session. */
export interface Recorded {
  readonly id: number;
  readonly told: { readonly id: bigint };
  /** A new one for each session, and for each client that shares one. */
  readonly life: number;
  /**
   * Two processes that use one session at once may get each other's responses, as with Apache's
   * servers.
   */
  readonly isShared: boolean;
}

const UNFOLLOWED: ReadonlySet<number> = new Set([ErrorCode.NONODE, ErrorCode.NODEEXISTS]);

/** Znodes that are only created, set, and read, so that the judge sees every change. */
const PREFIXES = ['/key-', '/twin-', '/sequence'];

/**
 * Records what clients request and see of some znodes, for the judge of histories. The judge
 * searches for an order that explains all responses, without the ledger and without zxids.
 */
export class Recording {
  readonly recorder: HistoryRecorder;
  private readonly ids = new Map<Asked, number>();

  /** @param made the znodes that exist from the start, with the data "0" */
  constructor(now: () => number, made: readonly string[]) {
    this.recorder = new HistoryRecorder(now);
    this.recorder.initial(made.map((path) => ({ path, data: '0' })));
  }

  sent(client: Recorded, asked: Asked): void {
    const known = readRequest(asked.type, asked.body);
    if (known === undefined) return;
    const [op, args] = known;
    this.ids.set(asked, this.recorder.invoke(`${client.id}`, sessionOf(client), op, args));
  }

  answered(client: Recorded, asked: Asked, { err, zxid, body }: Answer): void {
    const id = this.take(asked);
    if (id === undefined) return;
    // The judge does not model the parents of sequential znodes, or numbers past their end.
    const isUnfollowed = isSequential(asked) && UNFOLLOWED.has(err);
    if (client.isShared || isUnfollowed) {
      this.recorder.unknown(id);
      return;
    }
    const copy = new InputArchive(body.bytes, body.at, body.end);
    // The header of a multi's reply has no error. If a part failed, its first result has one.
    const isRefused = asked.type === OpCode.multi && MultiHeader.read(copy).type === OpCode.error;
    if (err === ErrorCode.OK && !isRefused) {
      this.recorder.ok(id, readResult(asked.type, copy), zxid);
    } else {
      this.recorder.fail(id, isRefused ? 'REFUSED' : (errorName(err) ?? `${err}`), zxid);
    }
  }

  /** No client learns whether it was done. */
  lost(asked: Asked): void {
    const id = this.take(asked);
    if (id !== undefined) this.recorder.unknown(id);
  }

  private take(asked: Asked): number | undefined {
    const id = this.ids.get(asked);
    this.ids.delete(asked);
    return id;
  }
}

function isSequential({ type, body }: Asked): boolean {
  if (type !== OpCode.create) return false;
  return (CreateRequest.read(new InputArchive(body)).flags & Flags.sequential) !== 0;
}

function sessionOf({ id, told, life }: Recorded): string {
  return `${told.id.toString(16)}/${id}.${life}`;
}

function isRecorded(path: string): boolean {
  return PREFIXES.some((prefix) => path.startsWith(prefix));
}

function readRequest(type: number, body: Buffer): readonly [OpName, Arguments] | undefined {
  const input = new InputArchive(body);
  switch (type) {
    case OpCode.create: {
      const { path, data, flags } = CreateRequest.read(input);
      if (!isRecorded(path)) return undefined;
      const args = { path, data: textOf(data) };
      return ['create', { ...args, ephemeral: (flags & 1) !== 0, sequential: (flags & 2) !== 0 }];
    }
    case OpCode.setData: {
      const { path, data, version } = SetDataRequest.read(input);
      return isRecorded(path) ? ['setData', { path, data: textOf(data), version }] : undefined;
    }
    case OpCode.getData: {
      const { path } = PathWatchRequest.read(input);
      return isRecorded(path) ? ['getData', { path }] : undefined;
    }
    case OpCode.sync:
      return ['sync', { path: PathRequest.read(input).path }];
    case OpCode.multi: {
      const ops = readTwins(input);
      return ops === undefined ? undefined : ['multi', { ops }];
    }
    default:
      return undefined;
  }
}

/** The parts of a multi that only sets recorded znodes. */
function readTwins(input: InputArchive): Part[] | undefined {
  const ops: Part[] = [];
  for (;;) {
    const { type, done } = MultiHeader.read(input);
    if (done) return ops;
    if (type !== OpCode.setData) return undefined;
    const { path, data, version } = SetDataRequest.read(input);
    if (!isRecorded(path)) return undefined;
    ops.push({ op: 'setData', path, data: textOf(data), version });
  }
}

function readResult(type: number, input: InputArchive): Result {
  switch (type) {
    case OpCode.create:
      return { path: CreateResponse.read(input).path };
    case OpCode.setData: {
      const { mzxid, version } = SetDataResponse.read(input).stat;
      return { stat: { mzxid, version } };
    }
    case OpCode.getData: {
      const { data, stat } = GetDataResponse.read(input);
      const { mzxid, version } = stat;
      return { data: textOf(data), stat: { mzxid, version } };
    }
    default:
      return {};
  }
}

function textOf(data: Buffer | null): string | null {
  return data === null ? null : data.toString('latin1');
}
