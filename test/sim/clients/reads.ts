import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import {
  ExistsResponse,
  GetACLResponse,
  GetAllChildrenNumberResponse,
  GetChildren2Response,
  GetChildrenResponse,
  GetDataResponse,
  GetEphemeralsResponse,
  MultiHeader,
} from '../../support/bytes/jute-records.js';
import type { History } from '../history.js';
import type { ClientNode } from './client-node.js';
import type { Answer } from './client-world.js';
import type { Body } from './requests.js';
import * as requests from './requests.js';

type Shown = (body: Answer['body'], zxid: bigint) => void;
const READ = 1;
const ADMIN = 16;

/** The reads of one client, checked by the history, and the watches that they set. */
export class Reads {
  private readonly client: ClientNode;
  private readonly history: History;

  constructor(client: ClientNode, history: History) {
    this.client = client;
    this.history = history;
  }

  private ask({ type, body }: Body, answered: (answer: Answer) => void): void {
    this.client.ask({ type, body, answered });
  }

  /** Sends a read. The response is checked if a quorum confirms it. */
  private look(request: Body, checked: (answer: Answer) => void): void {
    this.ask(request, (answer) => {
      const isKnown = answer.err === ErrorCode.OK || answer.err === ErrorCode.NONODE;
      if (!isKnown) return;
      if (this.client.isReadOnly) this.history.readOnlyReads++;
      else checked(answer);
    });
  }

  /** A read of a znode whose ACL may refuse it. */
  private lookGuarded(request: Body, path: string, perms: number, shown: Shown): void {
    const { author } = this.client;
    this.ask(request, ({ zxid, err, body }) => {
      if (this.client.isReadOnly) return;
      this.history.judge.permitted(path, zxid, err, author, perms);
      if (err === ErrorCode.OK) shown(body, zxid);
    });
  }

  guarded(path: string, isWatched: boolean): void {
    const { author } = this.client;
    const request = requests.look(OpCode.getData, path, isWatched);
    this.lookGuarded(request, path, READ, (body, zxid) => {
      const { data, stat } = GetDataResponse.read(body);
      this.history.read(path, zxid, stat.mzxid, data?.toString('latin1') ?? '');
      this.history.judge.stat(path, zxid, stat);
      if (isWatched) this.arm('data', path);
    });
    this.lookGuarded(requests.ofPath(OpCode.getACL, path), path, READ | ADMIN, (body, zxid) => {
      const { acl, stat } = GetACLResponse.read(body);
      this.history.judge.acl(path, zxid, acl, author);
      this.history.judge.stat(path, zxid, stat);
    });
  }

  count(path: string): void {
    this.ask(requests.ofPath(OpCode.getAllChildrenNumber, path), ({ zxid, err, body }) => {
      if (err !== ErrorCode.OK || this.client.isReadOnly) return;
      const { totalNumber } = GetAllChildrenNumberResponse.read(body);
      this.history.judge.below(path, zxid, totalNumber);
    });
  }

  ephemerals(): void {
    const { told } = this.client;
    this.ask(requests.ofPath(OpCode.getEphemerals, '/'), ({ zxid, err, body }) => {
      if (err !== ErrorCode.OK || this.client.isReadOnly || this.client.told !== told) return;
      const { ephemerals } = GetEphemeralsResponse.read(body);
      this.history.judge.ephemerals(told.id, zxid, ephemerals);
    });
  }

  private arm(kind: 'data' | 'child' | 'persistent' | 'recursive', path: string): void {
    this.client.told.watches.arm(kind, path);
  }

  read(path: string, isWatched: boolean): void {
    this.look(requests.look(OpCode.getData, path, isWatched), ({ zxid, err, body }) => {
      if (err === ErrorCode.NONODE) {
        this.history.read(path, zxid, 0n, null);
        return;
      }
      const { data, stat } = GetDataResponse.read(body);
      this.history.read(path, zxid, stat.mzxid, data?.toString('latin1') ?? '');
      this.history.judge.stat(path, zxid, stat);
      if (isWatched) this.arm('data', path);
    });
  }

  exists(path: string, isWatched: boolean): void {
    this.look(requests.look(OpCode.exists, path, isWatched), ({ zxid, err, body }) => {
      const stat = err === ErrorCode.OK ? ExistsResponse.read(body).stat : null;
      this.history.found(path, zxid, stat?.mzxid ?? null);
      if (stat !== null) this.history.judge.stat(path, zxid, stat);
      if (isWatched) this.arm('data', path);
    });
  }

  list(path: string): void {
    this.look(requests.look(OpCode.getChildren2, path, true), ({ zxid, err, body }) => {
      if (err === ErrorCode.NONODE) {
        this.history.read(path, zxid, 0n, null);
        return;
      }
      const { children, stat } = GetChildren2Response.read(body);
      this.history.listed(path, zxid, children, stat);
      this.history.judge.stat(path, zxid, stat);
      this.arm('child', path);
    });
  }

  multiRead(path: string, parent: string): void {
    const parts = [requests.look(OpCode.getData, path, false)];
    parts.push(requests.look(OpCode.getChildren, parent, false));
    this.ask(requests.multi(parts, OpCode.multiRead), ({ zxid, err, body }) => {
      if (err !== ErrorCode.OK || this.client.isReadOnly) return;
      this.history.reads += 2;
      if (MultiHeader.read(body).err === ErrorCode.OK) {
        const { data, stat } = GetDataResponse.read(body);
        this.history.read(path, zxid, stat.mzxid, data?.toString('latin1') ?? '');
        this.history.judge.stat(path, zxid, stat);
      } else {
        this.history.read(path, zxid, 0n, null);
        body.readInt();
      }
      if (MultiHeader.read(body).err !== ErrorCode.OK) return;
      this.history.named(parent, zxid, GetChildrenResponse.read(body).children);
    });
  }

  sync(key: string): void {
    this.ask(requests.ofPath(OpCode.sync, key), () => undefined);
  }

  syncAndRead(key: string): void {
    this.sync(key);
    this.read(key, false);
  }

  /**
   * Adds a persistent watch, of one path or recursive.
   * @param isRemoved removes every watch of the path instead
   */
  watch(path: string, isRecursive: boolean, isRemoved: boolean): void {
    if (isRemoved) {
      this.ask(requests.removeWatches(path), ({ err }) => {
        if (err === ErrorCode.OK) this.client.told.watches.disarm(path);
      });
      return;
    }
    this.look(requests.addWatch(path, isRecursive ? 1 : 0), ({ err }) => {
      if (err === ErrorCode.OK) this.arm(isRecursive ? 'recursive' : 'persistent', path);
    });
  }
}
