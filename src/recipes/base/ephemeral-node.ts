/**
 * An ephemeral znode with a fixed name, without a GUID. After a lost reply, its owner shows whether
 * this session created it; this file tracks which part of the program owns it.
 */
import type { ZooKeeperClient } from '../../client/base/client.js';
import { isCode } from '../../client/base/errors.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { awaited, type WaitOptions } from './limit.js';
import { hasEnded, Losses, once, retried, untilConnected, type Wait } from './session.js';
import { createParent, deleteIfThere, readIfThere } from './znodes.js';

export interface EphemeralPlace {
  readonly client: ZooKeeperClient;
  readonly path: string;
  readonly acl?: readonly ACL[] | undefined;
  /** Replaces the current owner of the name. Default false: enter() returns false. */
  readonly isReplacing?: boolean;
}

const owners = new WeakMap<ZooKeeperClient, Map<string, EphemeralNode>>();

export class EphemeralNode {
  private readonly place: EphemeralPlace;
  private leaving: Promise<void> | undefined;

  constructor(place: EphemeralPlace) {
    this.place = place;
  }

  /**
   * Creates the znode and missing parents. After a rejection the znode may exist: call leave().
   * @returns whether it was created; false if the name is taken, also in this session
   */
  async enter(data: Buffer, signal?: AbortSignal): Promise<boolean> {
    const { client, path, isReplacing = false } = this.place;
    const wait = { client, path, signal };
    const owner = this.owner;
    if (owner === this) return true;
    if (owner !== undefined && !isReplacing) return false;
    this.claim();
    const losses = new Losses(wait);
    for (let wasLost = false; ; wasLost = true) {
      const isMade = await this.make(data, wait, wasLost, losses);
      if (isMade === false) this.disclaim();
      if (isMade !== undefined) return isMade;
      await untilConnected(wait);
      await retried(wait, (call) => client.sync(path, call));
    }
  }

  /** Undefined if the outcome is unknown. */
  private async make(
    data: Buffer,
    wait: Wait,
    wasLost: boolean,
    losses: Losses,
  ): Promise<boolean | undefined> {
    const { client, path, acl, isReplacing = false } = this.place;
    const options = { mode: CreateModes.EPHEMERAL, acl };
    for (;;) {
      try {
        await once(wait, (call) => client.create(path, data, { ...options, ...call }));
        return true;
      } catch (error) {
        if (losses.mayRepeat(error)) return undefined;
        if (!isCode(error, 'NODEEXISTS')) {
          await createParent(error, wait, path, acl);
          continue;
        }
        const session = (await readIfThere(wait, path))?.stat.ephemeralOwner;
        if (wasLost && session === client.sessionId) return true;
        if (isReplacing) await deleteIfThere(wait, path);
        else if (session !== undefined) return false;
      }
    }
  }

  /** Deletes the znode if this object owns it, or waits for the end of the session. */
  async leave(options: WaitOptions = {}): Promise<void> {
    this.leaving ??= this.remove();
    await awaited(this.leaving, options, this.place.path, 'not deleted');
  }

  private async remove(): Promise<void> {
    if (this.owner !== this) return;
    const { client, path } = this.place;
    const wait = { client, path };
    try {
      await retried(wait, (call) => client.sync(path, call));
      const found = await readIfThere(wait, path);
      // Another client may have deleted it and created it again.
      if (found?.stat.ephemeralOwner === client.sessionId) await deleteIfThere(wait, path);
    } catch (error) {
      if (!hasEnded(client, error)) throw error;
    } finally {
      this.disclaim();
    }
  }

  private get owner(): EphemeralNode | undefined {
    return owners.get(this.place.client)?.get(this.place.path);
  }

  private claim(): void {
    const { client, path } = this.place;
    const ofSession = owners.get(client) ?? new Map<string, EphemeralNode>();
    owners.set(client, ofSession.set(path, this));
  }

  private disclaim(): void {
    if (this.owner === this) owners.get(this.place.client)?.delete(this.place.path);
  }
}
