import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { readOps } from '../../../src/server/prep/read-ops.js';
import { FrameSplitter } from '../bytes/zk-frames.js';
import { type Relay, startRelay } from './relay.js';

/** Length, xid, and type. */
const HEADER_SIZE = 12;

/** A relay to a server that notes the types of requests, also of those in multis. */
export async function startRequestTap(
  port: number,
): Promise<Relay & { readonly types: ReadonlySet<number> }> {
  const types = new Set<number>();
  const note = (frame: Buffer): void => {
    const type = frame.readInt32BE(8);
    types.add(type);
    if (type !== OpCode.multi) return;
    for (const op of readOps(new InputArchive(frame, HEADER_SIZE, frame.length)) ?? []) {
      types.add(op.type);
    }
  };
  const relay = await startRelay(port, () => {
    const requests = new FrameSplitter();
    let isFirst = true;
    return (chunk, forward) => {
      forward(chunk);
      for (const frame of requests.push(chunk)) {
        if (!isFirst) note(frame);
        isFirst = false;
      }
    };
  });
  return { ...relay, types };
}
