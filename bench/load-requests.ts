/** The requests of a load, encoded before it runs as far as possible. */
import { OutputArchive } from '../src/jute/output-archive.js';
import { OpCode } from '../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../src/protocol/perms.js';
import { CreateRequest } from '../src/protocol/proto.js';
import type { LoadOptions } from './load.js';

type Writer = (out: OutputArchive) => void;

export function requestWriter(options: LoadOptions): Writer {
  const { op, parent, readShare = 1 } = options;
  if (op === 'create') return createWriter(options);
  if (op === 'getChildren') return fixed(OpCode.getChildren, () => parent, NO_WATCH, false);
  const { pathOf } = options;
  const toOne = (code: number, rest: Buffer): Writer =>
    fixed(code, pathOf ?? (() => `${parent}/node`), rest, pathOf !== undefined);
  const set = toOne(OpCode.setData, setRest(options.size));
  const get = toOne(OpCode.getData, NO_WATCH);
  if (op === 'mix') return mixed(get, set, readShare);
  if (op === 'set') return set;
  return op === 'get' ? get : toOne(OpCode.exists, NO_WATCH);
}

const NO_WATCH = Buffer.from([0]);

/** Data of `size` bytes, for any version. */
function setRest(size: number): Buffer {
  const body = new OutputArchive();
  body.writeBuffer(Buffer.alloc(size, 0x79));
  body.writeInt(-1);
  return body.take();
}

function fixed(code: number, pathOf: () => string, rest: Buffer, isVaried: boolean): Writer {
  const write = (out: OutputArchive): void => {
    out.writeInt(code);
    out.writeString(pathOf());
    out.writeBytes(rest);
  };
  if (isVaried) return write;
  const body = new OutputArchive();
  write(body);
  const bytes = body.take();
  return (out) => out.writeBytes(bytes);
}

/** Spreads the gets evenly. */
function mixed(get: Writer, set: Writer, readShare: number): Writer {
  let due = 0;
  return (out) => {
    due += readShare;
    if (due < 1 - 1e-9) return set(out);
    due -= 1;
    get(out);
  };
}

function createWriter({ parent, size, pathOf }: LoadOptions): Writer {
  const prefix = `${parent}/c${Date.now().toString(36)}-`;
  let nextName = 0;
  const nextPath = pathOf ?? (() => prefix + nextName++);
  const data = Buffer.alloc(size, 0x79);
  const fields = { path: '', data, acl: OPEN_ACL_UNSAFE, flags: 0 };
  const rest = CreateRequest.encode(fields).subarray(4); // after an empty path
  return (out) => {
    out.writeInt(OpCode.create);
    out.writeString(nextPath());
    out.writeBytes(rest);
  };
}

export function writeCreate(out: OutputArchive, path: string, data: Buffer): void {
  out.writeInt(OpCode.create);
  CreateRequest.write(out, { path, data, acl: OPEN_ACL_UNSAFE, flags: 0 });
}

export function writeRead(
  out: OutputArchive,
  path: string,
  isWatching: boolean,
  code: number = OpCode.getData,
): void {
  out.writeInt(code);
  out.writeString(path);
  out.writeBool(isWatching);
}
