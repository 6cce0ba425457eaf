/**
 * What applications did, one JSON object a line. All times are milliseconds of the monotonic clock,
 * which all processes of a machine share.
 */

/** Somebody had something, such as a lock, from `begin` to `end`. */
export interface Hold {
  readonly op: 'hold';
  readonly what: string;
  readonly begin: number;
  readonly end: number;
  readonly at: number;
}

/** An item was written, or deleted. Without `isSure`, the writer got no answer. */
export interface Put {
  readonly op: 'put' | 'gone';
  readonly what: string;
  readonly item: string;
  readonly isSure: boolean;
  readonly at: number;
}

/** An item was taken or found. */
export interface Done {
  readonly op: 'done';
  readonly what: string;
  readonly item: string;
  readonly at: number;
}

/** One was added to a counter. */
export interface Add {
  readonly op: 'add';
  readonly what: string;
  readonly isSure: boolean;
  readonly at: number;
}

/** The counter at the end. */
export interface Value {
  readonly op: 'value';
  readonly what: string;
  readonly value: number;
}

/** A client lost its connection, or its session, or failed. */
export interface Trouble {
  readonly op: 'suspended' | 'lost' | 'error';
  readonly text?: string;
}

export type Event = Hold | Put | Done | Add | Value | Trouble;
export type History = readonly Event[];

/** Now, as in a history. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The event of a line. Other lines are of libraries. */
export const parseEvent = (line: string): Event[] =>
  line.startsWith('{"op"') ? [JSON.parse(line)] : [];
