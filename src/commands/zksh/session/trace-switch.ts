import type { ClientOptions } from '../../../client/base/client-options.js';
import { type Tracer, type WireEvent, WireTrace } from '../../../client/base/wire-trace.js';
import { counted } from '../../program/counted.js';

export interface TraceSwitch extends Tracer {
  isOn: boolean;
  tell: (event: WireEvent) => void;
}

export function makeTraceSwitch(isOn: boolean): TraceSwitch {
  return { isOn, tell: () => undefined };
}

export function traceOption(tracer: Tracer): Pick<ClientOptions, 'trace'> {
  return { trace: () => new WireTrace(tracer) };
}

/** "<- #3 getData /a: OK, zxid 0x12, 105 bytes, 0.412 ms". */
export function traceLine(event: WireEvent): string {
  switch (event.kind) {
    case 'request': {
      const detail = event.detail === undefined ? '' : ` ${event.detail}`;
      return `-> ${nameOf(event)}${detail}, ${counted(event.bytes, 'byte')}`;
    }
    case 'answer': {
      const { error, zxid, bytes, ms, detail } = event;
      const parts = [
        error,
        ...(detail === undefined ? [] : [detail]),
        ...(zxid === undefined ? [] : [`zxid ${zxid}`]),
        counted(bytes, 'byte'),
        ...(ms === undefined ? [] : [`${ms.toFixed(3)} ms`]),
      ];
      return `<- ${nameOf(event)}: ${parts.join(', ')}`;
    }
    case 'event':
      return `<- event ${event.type} ${event.path}: zxid ${event.zxid}, ${counted(event.bytes, 'byte')}`;
    case 'closed':
      return `-- closed${event.reason === undefined ? ' by the server' : `: ${event.reason}`}`;
  }
}

export function traceJson(event: WireEvent): string {
  const ms = 'ms' in event && event.ms !== undefined ? { ms: Number(event.ms.toFixed(3)) } : {};
  return JSON.stringify({ trace: { ...event, ...ms } });
}

function nameOf({ xid, op, path }: { xid?: number; op: string; path?: string }): string {
  return `${xid === undefined ? '' : `#${xid} `}${op}${path === undefined ? '' : ` ${path}`}`;
}
