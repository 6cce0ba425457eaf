import type { CallOptions } from '../../client/base/client.js';
import {
  hasUnknownOutcome,
  isCode,
  withOutcome,
  ZooKeeperError,
} from '../../client/base/errors.js';
import { checkArray, checkText, outOfRange, rangeError } from '../../protocol/check-argument.js';
import { CreateModes } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { checkName } from '../base/arguments.js';
import { RecipeError } from '../base/errors.js';
import { Losses, once, retried, untilConnected, type Wait } from '../base/session.js';
import { createParent, NO_DATA, readIfThere } from '../base/znodes.js';

/** The decision of a transaction. */
export type Verdict = 'commit' | 'abort';

/** Which side creates the znodes of the sites; see TwoPhaseCommit. */
export type SiteNodes = 'coordinator' | 'sites';

/** A transaction, as its coordinator created it. */
export interface TransactionState {
  /** Which side creates the znodes of the sites. */
  readonly siteNodes: SiteNodes;
  /** The names of the sites that vote. */
  readonly sites: readonly string[];
  /** What the sites vote on, if begin() wrote it. */
  readonly payload: string | undefined;
  /** Undefined before the decision. */
  readonly decision: Verdict | undefined;
}

export interface TransactionRecord extends TransactionState {
  /** Distinguishes this transaction from another one at the same path. */
  readonly guid: string;
}

/** @throws RangeError */
export function checkSites(given: readonly string[]): readonly string[] {
  const sites = checkArray('sites', given, checkText);
  if (sites.length === 0) throw outOfRange('sites', given, 'at least one site');
  for (const site of sites) checkName(site, 'site');
  if (new Set(sites).size < sites.length)
    throw rangeError(`sites: duplicate name: ${sites} (expected each name once)`);
  return sites;
}

/** Undefined for data that are not a vote. */
export function voteOf(data: Buffer | null | undefined): Verdict | undefined {
  const text = data?.toString();
  return text === 'commit' || text === 'abort' ? text : undefined;
}

/** @throws ZooKeeperError NONODE; RecipeError EBADDATA for other data */
export function parseTransaction(path: string, data: Buffer | null | undefined): TransactionRecord {
  if (data === undefined) {
    throw new ZooKeeperError(ErrorCode.NONODE, path, { detail: 'no transaction' });
  }
  const record = parseRecord(data?.toString() ?? '');
  if (record !== undefined) return record;
  throw new RecipeError('EBADDATA', path, 'data are not a transaction');
}

function parseRecord(text: string): TransactionRecord | undefined {
  try {
    const { guid, siteNodes, sites, payload, decision } = JSON.parse(text);
    const isRecord =
      typeof guid === 'string' &&
      (siteNodes === 'coordinator' || siteNodes === 'sites') &&
      (payload === undefined || typeof payload === 'string') &&
      Array.isArray(sites);
    if (!isRecord) return undefined;
    const names = sites.map(String);
    return { guid, siteNodes, sites: names, payload, decision: voteOf(Buffer.from(`${decision}`)) };
  } catch {
    return undefined;
  }
}

/** @throws RecipeError ETAKEN when the path is in use; ZooKeeperError */
export async function createTransaction(
  wait: Wait,
  record: TransactionRecord,
  acl: readonly ACL[] | undefined,
): Promise<void> {
  const { client, path } = wait;
  const data = Buffer.from(JSON.stringify(record));
  const options = { mode: CreateModes.PERSISTENT, acl };
  const losses = new Losses(wait);
  for (;;) {
    try {
      await once(wait, (call) => client.create(path, data, { ...options, ...call }));
      return;
    } catch (error) {
      if (losses.mayRepeat(error)) {
        await untilConnected(wait)
          .then(() => retried(wait, (call) => client.sync(path, call)))
          .catch((lost) => {
            throw hasUnknownOutcome(error) ? withOutcome(lost, true) : lost;
          });
      } else if (isCode(error, 'NODEEXISTS')) {
        if ((await readIfThere(wait, path))?.data?.equals(data)) return;
        throw new RecipeError('ETAKEN', path, 'is in use: each transaction needs a new path');
      } else {
        await createParent(error, wait, path, acl);
      }
    }
  }
}

/** Creates the znode of a site, without a vote. @throws ZooKeeperError */
export async function createSite(
  wait: Wait,
  path: string,
  acl: readonly ACL[] | undefined,
): Promise<void> {
  const options = { mode: CreateModes.PERSISTENT, acl };
  const create = (call: CallOptions) => wait.client.create(path, NO_DATA, { ...options, ...call });
  await retried(wait, create).catch((error) => {
    if (!isCode(error, 'NODEEXISTS')) throw error;
  });
}
