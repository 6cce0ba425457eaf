/** The classes and constants of node-zookeeper-client 1.x, from its public documentation. */
import assert from 'node:assert';
import { ErrorCode } from '../../protocol/error-code.js';
import { Perms } from '../../protocol/perms.js';
import { EventType, type EventTypeName } from '../../protocol/watch-event.js';

/**
 * The state of a client.
 * @example
 * client.on('state', (state) => {
 *   if (state === State.EXPIRED) process.exit(1);
 * });
 */
export class State {
  static readonly DISCONNECTED = new State('DISCONNECTED', 0);
  static readonly SYNC_CONNECTED = new State('SYNC_CONNECTED', 3);
  /** The documentation also uses this name for SYNC_CONNECTED. */
  static readonly CONNECTED = State.SYNC_CONNECTED;
  static readonly AUTH_FAILED = new State('AUTH_FAILED', 4);
  static readonly CONNECTED_READ_ONLY = new State('CONNECTED_READ_ONLY', 5);
  static readonly SASL_AUTHENTICATED = new State('SASL_AUTHENTICATED', 6);
  static readonly EXPIRED = new State('EXPIRED', -122);
  readonly name: string;
  readonly code: number;

  private constructor(name: string, code: number) {
    this.name = name;
    this.code = code;
  }

  getName(): string {
    return this.name;
  }
  getCode(): number {
    return this.code;
  }
  toString(): string {
    return `${this.name}[${this.code}]`;
  }
}

const EVENT_NAMES: Readonly<Partial<Record<EventTypeName, string>>> = {
  NodeCreated: 'NODE_CREATED',
  NodeDeleted: 'NODE_DELETED',
  NodeDataChanged: 'NODE_DATA_CHANGED',
  NodeChildrenChanged: 'NODE_CHILDREN_CHANGED',
};

/**
 * The event that a watcher gets.
 * @example
 * const onEvent = (event: Event) => console.log(event.getType() === Event.NODE_DELETED);
 * client.getData('/a', onEvent, (error, data) => console.log(error ?? data));
 */
export class Event {
  static readonly NODE_CREATED = EventType.NodeCreated;
  static readonly NODE_DELETED = EventType.NodeDeleted;
  static readonly NODE_DATA_CHANGED = EventType.NodeDataChanged;
  static readonly NODE_CHILDREN_CHANGED = EventType.NodeChildrenChanged;
  readonly type: number;
  readonly name: string;
  readonly path: string | undefined;

  constructor(type: number, name: string, path: string | undefined) {
    checkEventType(type);
    assert(name && typeof name === 'string', 'name must be a non-empty string.');
    this.type = type;
    this.name = name;
    this.path = path;
  }

  /** Undefined for a type that the original package does not have. */
  static of(type: EventTypeName, path: string): Event | undefined {
    const name = EVENT_NAMES[type];
    return name === undefined ? undefined : new Event(EventType[type], name, path);
  }

  /** @throws Error for an unknown type */
  static create(this: void, event: { readonly type: number; readonly path: string }): Event {
    assert(event, 'watcherEvent must be a valid object.');
    return new Event(event.type, checkEventType(event.type), event.path);
  }

  getType(): number {
    return this.type;
  }
  getName(): string {
    return this.name;
  }
  getPath(): string | undefined {
    return this.path;
  }
  toString(): string {
    return withPath(`${this.name}[${this.type}]`, this.path);
  }
}

/** @returns its name */
function checkEventType(type: unknown): string {
  assert(typeof type === 'number', 'type must be a number.');
  const known = Object.entries(EventType).find(([, number]) => number === type);
  const name = EVENT_NAMES[known?.[0] as EventTypeName];
  if (name === undefined) throw new Error(`Unknown type: ${type}`);
  return name;
}

const CODES = {
  OK: ErrorCode.OK,
  SYSTEM_ERROR: ErrorCode.SYSTEMERROR,
  RUNTIME_INCONSISTENCY: ErrorCode.RUNTIMEINCONSISTENCY,
  DATA_INCONSISTENCY: ErrorCode.DATAINCONSISTENCY,
  CONNECTION_LOSS: ErrorCode.CONNECTIONLOSS,
  MARSHALLING_ERROR: ErrorCode.MARSHALLINGERROR,
  UNIMPLEMENTED: ErrorCode.UNIMPLEMENTED,
  OPERATION_TIMEOUT: ErrorCode.OPERATIONTIMEOUT,
  BAD_ARGUMENTS: ErrorCode.BADARGUMENTS,
  API_ERROR: ErrorCode.APIERROR,
  NO_NODE: ErrorCode.NONODE,
  NO_AUTH: ErrorCode.NOAUTH,
  BAD_VERSION: ErrorCode.BADVERSION,
  NO_CHILDREN_FOR_EPHEMERALS: ErrorCode.NOCHILDRENFOREPHEMERALS,
  NODE_EXISTS: ErrorCode.NODEEXISTS,
  NOT_EMPTY: ErrorCode.NOTEMPTY,
  SESSION_EXPIRED: ErrorCode.SESSIONEXPIRED,
  INVALID_CALLBACK: ErrorCode.INVALIDCALLBACK,
  INVALID_ACL: ErrorCode.INVALIDACL,
  AUTH_FAILED: ErrorCode.AUTHFAILED,
} as const;

const CODE_NAMES = new Map<number, string>(
  Object.entries(CODES).map(([name, code]) => [code, name]),
);

type Creator = (...given: never[]) => unknown;

/** The error of an operation. */
class ExceptionClass extends Error {
  override readonly name: string;
  readonly code: number;
  readonly path: string | undefined;

  /** @param creator the function above which the stack begins */
  constructor(code: number, name: string, creator: Creator);
  constructor(code: number, name: string, path: string | undefined, creator: Creator);
  constructor(code: number, name: string, third?: string | Creator, fourth?: Creator) {
    const creator = fourth ?? third;
    const path = fourth === undefined ? undefined : third;
    // A server may answer with a code that the old package does not know.
    if (creator !== exceptionOf) checkCode(code);
    assert(name && typeof name === 'string', 'name must be a non-empty string.');
    assert(typeof creator === 'function', 'ctor must be a function.');
    super(withPath(`Exception: ${name}[${code}]`, path as string | undefined));
    Error.captureStackTrace(this, creator);
    this.name = name;
    this.code = code;
    this.path = path as string | undefined;
  }

  /** @throws Error for an unknown code */
  static create(this: void, code: number, path?: string): ExceptionClass {
    checkCode(code);
    return new ExceptionClass(code, nameOfCode(code), path, ExceptionClass.create);
  }

  getCode(): number {
    return this.code;
  }
  getPath(): string | undefined {
    return this.path;
  }
  getName(): string {
    return this.name;
  }
  override toString(): string {
    return this.message;
  }
}

function checkCode(code: unknown): void {
  assert(typeof code === 'number', 'code must be a number.');
  if (!CODE_NAMES.has(code)) throw new Error(`Unknown code: ${code}`);
}

function nameOfCode(code: number): string {
  return CODE_NAMES.get(code) ?? `CODE_${code}`;
}

/** The error of any code, also of one that the old package does not know. */
export function exceptionOf(code: number, path: string | undefined, cause: unknown): Exception {
  const error = new ExceptionClass(code, nameOfCode(code), path, exceptionOf);
  return Object.defineProperty(error, 'cause', { value: cause, enumerable: false });
}

/** The class, with the error codes as its properties: `Exception.NO_NODE`. */
export const Exception: typeof ExceptionClass & typeof CODES = Object.assign(ExceptionClass, CODES);
export type Exception = ExceptionClass;

/** The bits of `ACL.permission`. */
export const Permission = Perms;

/** Numbers, as in the original package. */
export const CreateMode = {
  PERSISTENT: 0,
  EPHEMERAL: 1,
  PERSISTENT_SEQUENTIAL: 2,
  EPHEMERAL_SEQUENTIAL: 3,
} as const;

/**
 * An identity: a scheme such as digest, ip, or world, and its id.
 * @example
 * const reader = new ACL(Permission.READ, new Id('ip', '10.0.0.0/8'));
 */
export class Id {
  static readonly ANYONE_ID_UNSAFE = new Id('world', 'anyone');
  static readonly AUTH_IDS = new Id('auth', '');
  readonly scheme: string;
  readonly id: string;

  constructor(scheme: string, id: string) {
    if (!scheme || typeof scheme !== 'string') {
      throw new Error('scheme must be a non-empty string.');
    }
    if (typeof id !== 'string') throw new Error('id must be a string.');
    this.scheme = scheme;
    this.id = id;
  }
}

/**
 * An entry of an ACL: bits of Permission, and who has them.
 * @example
 * const acl = [new ACL(Permission.READ, Id.ANYONE_ID_UNSAFE)];
 */
export class ACL {
  static readonly OPEN_ACL_UNSAFE = [new ACL(Perms.ALL, Id.ANYONE_ID_UNSAFE)];
  static readonly CREATOR_ALL_ACL = [new ACL(Perms.ALL, Id.AUTH_IDS)];
  static readonly READ_ACL_UNSAFE = [new ACL(Perms.READ, Id.ANYONE_ID_UNSAFE)];
  readonly permission: number;
  readonly id: Id;

  constructor(permission: number, id: Id) {
    if (typeof permission !== 'number' || permission < Perms.READ || permission > Perms.ALL) {
      throw new Error('permission must be a valid integer.');
    }
    if (!(id instanceof Id)) throw new Error('id must be an instance of Id class.');
    this.permission = permission;
    this.id = id;
  }
}

function withPath(text: string, path: string | undefined): string {
  return path ? `${text}@${path}` : text;
}
