import type { Data } from '../../protocol/check-argument.js';
import {
  checkBoolean,
  checkData,
  checkFields,
  checkSignal,
  checkString,
} from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL, Stat } from '../../protocol/data.js';
import { parentPath } from '../../protocol/path.js';
import type { CallOptions, CreateOptions, ZooKeeperClient } from '../base/client.js';
import { isCode } from '../base/errors.js';
import { checkACL } from '../calls/arguments.js';
import { checkClient } from '../check-client.js';

export interface MkdirpOptions {
  /** Data of the znodes that are created. Default: none. */
  readonly data?: Data | undefined;
  /** Default OPEN_ACL_UNSAFE. */
  readonly acl?: readonly ACL[] | undefined;
  /** Containers, which the server deletes when they become empty. Default: persistent znodes. */
  readonly areContainers?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates a persistent znode and its missing parents; existing znodes stay as they are. Idempotent.
 * @example await mkdirp(client, '/app/config/eu');
 * @returns the created paths, parents first
 * @throws ZooKeeperError, for example NOAUTH, or NOCHILDRENFOREPHEMERALS below an ephemeral
 */
export async function mkdirp(
  client: ZooKeeperClient,
  path: string,
  options: MkdirpOptions = {},
): Promise<readonly string[]> {
  checkClient(client);
  checkString('path', path);
  const {
    data = null,
    acl,
    areContainers = false,
    signal,
  } = checkFields('options', options, {
    data: checkData,
    acl: checkACL,
    areContainers: checkBoolean,
    signal: checkSignal,
  });
  const made: string[] = [];
  const make = async (each: string): Promise<void> => {
    try {
      await client.create(each, data, {
        mode: areContainers ? CreateModes.CONTAINER : CreateModes.PERSISTENT,
        acl,
        signal,
      });
      made.push(each);
    } catch (error) {
      if (isCode(error, 'NODEEXISTS')) return;
      const above = parentPath(each);
      // If the parent is the root, the chroot is missing.
      if (!isCode(error, 'NONODE') || above === '/' || above === '') throw error;
      await make(above);
      await make(each);
    }
  };
  await make(path);
  return made;
}

/**
 * Creates a znode unless it exists.
 * @example
 * const { isCreated } = await createIfMissing(client, '/app', Buffer.from('first'));
 * console.log(isCreated ? 'created' : 'was there');
 * @returns whether this call created it, and its Stat
 * @throws ZooKeeperError, for example NONODE without a parent (see mkdirp)
 */
export async function createIfMissing(
  client: ZooKeeperClient,
  path: string,
  data: Data = null,
  options: CreateOptions & CallOptions = {},
): Promise<{ readonly isCreated: boolean; readonly stat: Stat }> {
  checkClient(client);
  for (;;) {
    try {
      const { stat } = await client.create(path, data, options);
      return { isCreated: true, stat };
    } catch (error) {
      if (!isCode(error, 'NODEEXISTS')) throw error;
    }
    const { signal, timeoutMs } = options;
    const stat = await client.exists(path, { signal, timeoutMs });
    // Deleted meanwhile: try the create again.
    if (stat !== null) return { isCreated: false, stat };
  }
}
