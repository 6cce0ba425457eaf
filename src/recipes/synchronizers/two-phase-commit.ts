import { randomUUID } from 'node:crypto';
import { isCode, TimeoutError, withOutcome } from '../../client/base/errors.js';
import { checkOneOf, checkText } from '../../protocol/check-argument.js';
import { childPath } from '../../protocol/path.js';
import { checkName, checkWaitOptions } from '../base/arguments.js';
import { EphemeralNode } from '../base/ephemeral-node.js';
import { RecipeError } from '../base/errors.js';
import { cleanedUp, limited, unlessAborted, type WaitOptions } from '../base/limit.js';
import { PathRecipe } from '../base/path-recipe.js';
import { asChange, hasEnded, retried, type Wait, whileAlive } from '../base/session.js';
import {
  childrenOf,
  deleteIfThere,
  readIfThere,
  untilOneChanged,
  watchData,
  watched,
} from '../base/znodes.js';
import {
  checkSites,
  createSite,
  createTransaction,
  parseTransaction,
  type SiteNodes,
  type TransactionRecord,
  type TransactionState,
  type Verdict,
  voteOf,
} from './transaction.js';

interface Found {
  readonly record: TransactionRecord;
  readonly version: number;
}

/**
 * One transaction that all sites commit, or no site (Recipes page, "Two-phased Commit"). Each
 * transaction needs a separate path. The coordinator calls begin, decide and finish; each site,
 * which gets the path from the coordinator, calls vote, decision and acknowledge. A site may call
 * decide, too, so that it needs no coordinator after begin.
 *
 * Layout: `<path>`, persistent, whose data are JSON with `guid`, `siteNodes`, `sites`, maybe
 * `payload`, and later `decision`; and one znode per site:
 *
 * - `siteNodes` "coordinator": `<path>/site-<name>`, persistent, created empty by begin(); the site
 * writes `commit` or `abort` into it. A site may crash and return to vote or to read the decision;
 * only a timeout detects a missing site.
 * - `siteNodes` "sites": `<path>/site-<name>`, ephemeral, created by the site with its vote. If its
 * session ends before the decision, the decision is an abort.
 *
 * Guarantees: there is one decision, which never changes: `commit` only if every site voted for it.
 * Only those that call decide() watch the sites, and each site watches the transaction. As in any
 * two-phase commit, sites that voted wait for all votes; any process may call abort().
 * @example
 * const transaction = new TwoPhaseCommit(client, '/tx/42');
 * await transaction.begin(['db1', 'db2']);
 * await transaction.vote('db1', 'commit');
 * const verdict = await transaction.decide({ timeoutMs: 10_000 });
 */
export class TwoPhaseCommit extends PathRecipe {
  private readonly ephemerals = new Map<string, EphemeralNode>();

  /**
   * Creates the transaction. A rejection leaves no znodes, unless the session ended.
   * @param payload what the sites vote on, for state()
   * @throws RangeError for invalid names of sites; RecipeError ETAKEN if the path is in use;
   * TimeoutError, RequestAbortedError, ZooKeeperError
   */
  async begin(
    names: readonly string[],
    siteNodes: SiteNodes = 'coordinator',
    payload?: string,
    options: WaitOptions = {},
  ): Promise<void> {
    const sites = checkSites(names);
    checkOneOf('siteNodes', siteNodes, ['coordinator', 'sites']);
    if (payload !== undefined) checkText('payload', payload);
    const record = { guid: randomUUID(), siteNodes, sites, payload, decision: undefined };
    await this.within(options, async (wait) => {
      await createTransaction(wait, record, this.acl);
      if (siteNodes === 'sites') return;
      try {
        for (const site of sites) await createSite(wait, this.siteNode(site), this.acl);
      } catch (error) {
        await cleanedUp(this.remove(), wait.signal).catch(() => undefined);
        throw hasEnded(this.client, error) ? withOutcome(error, true) : error;
      }
    });
  }

  /**
   * Waits for the votes, or for the decision of another process, and writes the decision. After a
   * timeout it decides for abort. If the signal aborts, it rejects with a RequestAbortedError,
   * without a decision, and with a TimeoutError if the transaction was not read in time.
   * @returns the decision, possibly of another process
   * @throws ZooKeeperError, NONODE without a transaction
   */
  async decide(options: WaitOptions = {}): Promise<Verdict> {
    const { signal } = checkWaitOptions(options);
    const over = new AbortController();
    const read: { record?: TransactionRecord } = {};
    const verdict = await limited(options, this.waitOf(), 'not all sites voted', async (limit) => {
      read.record = (await this.found(this.waitOf(limit))).record;
      const wait = this.waitOf(AbortSignal.any([limit, over.signal]));
      return read.record.decision ?? this.collect(read.record, wait);
    })
      .catch((error): Verdict => {
        const isLate = error instanceof TimeoutError && signal?.aborted !== true;
        if (isLate && read.record !== undefined) return 'abort';
        throw error;
      })
      .finally(() => over.abort());
    return read.record?.decision ?? this.write(verdict, signal);
  }

  /** Decides for abort, unless there is a decision. @returns the decision @throws as decide() */
  abort(options: WaitOptions = {}): Promise<Verdict> {
    return this.within(options, ({ signal }) => this.write('abort', signal));
  }

  /**
   * Waits until every site has acknowledged, and deletes the transaction.
   * @throws TimeoutError, RequestAbortedError, ZooKeeperError
   */
  async finish(options: WaitOptions = {}): Promise<void> {
    await limited(options, this.waitOf(), 'not all sites finished', async (signal) => {
      const wait = this.waitOf(signal);
      const nodes = (await childrenOf(wait, this.path)).filter((name) => name.startsWith('site-'));
      for (const name of nodes) {
        const node = childPath(this.path, name);
        while ((await readIfThere(wait, node)) !== undefined) await untilOneChanged(wait, [node]);
      }
      await this.remove({ signal });
    });
  }

  /**
   * Deletes an unfinished transaction, too. @throws ZooKeeperError, NOTEMPTY for foreign children
   */
  remove(options: WaitOptions = {}): Promise<void> {
    return this.within(options, async (wait) => {
      const names = await childrenOf(wait, this.path);
      for (const name of names.filter((each) => each.startsWith('site-'))) {
        await deleteIfThere(asChange(wait), childPath(this.path, name));
      }
      await deleteIfThere(asChange(wait), this.path);
    });
  }

  /**
   * Votes for a site. Idempotent. With `siteNodes` "sites", the vote lasts until the session ends
   * or until acknowledge().
   * @throws RecipeError ETAKEN after a different vote, EBADDATA for an unknown site;
   * TimeoutError, RequestAbortedError; ZooKeeperError, NONODE without a transaction
   */
  async vote(site: string, verdict: Verdict, options: WaitOptions = {}): Promise<void> {
    checkName(site, 'site');
    checkOneOf('verdict', verdict, ['commit', 'abort']);
    await this.within(options, (wait) => this.voteWithin(site, verdict, wait));
  }

  private async voteWithin(site: string, verdict: Verdict, wait: Wait): Promise<void> {
    const { record } = await this.found(wait);
    if (!record.sites.includes(site)) {
      const sites = record.sites.join(', ');
      throw new RecipeError(
        'EBADDATA',
        this.path,
        `unknown site: "${site}" (expected one of ${sites})`,
      );
    }
    const path = this.siteNode(site);
    if (record.siteNodes === 'sites') {
      const { client, acl } = this;
      const node = this.ephemerals.get(site) ?? new EphemeralNode({ client, path, acl });
      this.ephemerals.set(site, node);
      if (!(await node.enter(Buffer.from(verdict), wait.signal))) {
        throw new RecipeError('ETAKEN', path, 'this site already voted, in another session');
      }
    } else {
      const data = Buffer.from(verdict);
      await retried(asChange(wait), (call) => this.client.setData(path, data, 0, call)).catch(
        (error) => {
          if (!isCode(error, 'BADVERSION')) throw error;
        },
      );
    }
    // An earlier vote counts, perhaps one with a lost reply.
    const voted = voteOf((await readIfThere(wait, path))?.data);
    if (voted === verdict || voted === undefined) return;
    throw new RecipeError('ETAKEN', path, `this site already voted "${voted}"`);
  }

  /**
   * Waits for the decision.
   * @throws TimeoutError, RequestAbortedError, ZooKeeperError, NONODE if it was
   * deleted
   */
  decision(options: WaitOptions = {}): Promise<Verdict> {
    return limited(options, this.waitOf(), 'no decision', async (signal) => {
      const wait = this.waitOf(signal);
      await this.found(wait);
      return this.decided(wait);
    });
  }

  /** Confirms that a site has applied the decision: deletes its znode. @throws ZooKeeperError */
  async acknowledge(site: string, options: WaitOptions = {}): Promise<void> {
    checkName(site, 'site');
    const node = this.ephemerals.get(site);
    await limited(options, this.waitOf(), 'no answer', (signal) =>
      node === undefined
        ? deleteIfThere(asChange(this.waitOf(signal)), this.siteNode(site))
        : unlessAborted(node.leave(), signal),
    );
    this.ephemerals.delete(site);
  }

  /** @throws ZooKeeperError NONODE; RecipeError EBADDATA for other data */
  state(
    options: WaitOptions = {},
  ): Promise<TransactionState & { readonly votes: ReadonlyMap<string, Verdict> }> {
    return this.within(options, async (wait) => {
      const { siteNodes, sites, payload, decision } = (await this.found(wait)).record;
      const votes = new Map<string, Verdict>();
      for (const site of sites) {
        const vote = voteOf((await readIfThere(wait, this.siteNode(site)))?.data);
        if (vote !== undefined) votes.set(site, vote);
      }
      return { siteNodes, sites, payload, decision, votes };
    });
  }

  private async decided(wait: Wait): Promise<Verdict> {
    const reads = watched(wait, (watches) => watchData(wait, this.path, watches));
    for await (const znode of reads) {
      const { decision } = parseTransaction(this.path, znode?.data);
      if (decision !== undefined) return decision;
    }
    throw new Error('watched() never ends');
  }

  /**
   * Resolves as soon as the verdict is certain. A site that knows the decision of another process
   * may have deleted its vote already.
   */
  private async collect({ sites, siteNodes }: TransactionRecord, wait: Wait): Promise<Verdict> {
    let missing = sites.length;
    return whileAlive<Verdict>(wait, (resolve, reject) => {
      const follow = async (site: string): Promise<void> => {
        for await (const vote of this.votes(site, wait)) {
          if (vote === 'abort') resolve('abort');
          if (vote === 'commit' && --missing === 0) resolve('commit');
          // An ephemeral's vote counts only while it exists.
          if (vote !== undefined && siteNodes === 'coordinator') return;
        }
      };
      for (const site of sites) follow(site).catch(reject);
      this.decided(wait).then(resolve, reject);
      return () => undefined;
    });
  }

  /** Undefined without a vote; an ephemeral vote that disappears becomes an abort. */
  private async *votes(site: string, wait: Wait): AsyncGenerator<Verdict | undefined, never> {
    let last: Verdict | undefined;
    const path = this.siteNode(site);
    for await (const znode of watched(wait, (watches) => watchData(wait, path, watches))) {
      const vote = voteOf(znode?.data);
      const isNew = vote !== last;
      if (isNew) yield last === undefined ? vote : 'abort';
      last = vote;
    }
    throw new Error('watched() never ends');
  }

  /** Every write expects the version of begin(), so only the first decision succeeds. */
  private async write(decision: Verdict, signal: AbortSignal | undefined): Promise<Verdict> {
    const wait = this.waitOf(signal);
    const { record, version } = await this.found(wait);
    if (record.decision !== undefined) return record.decision;
    const data = Buffer.from(JSON.stringify({ ...record, decision }));
    try {
      await retried(asChange(wait), (call) => this.client.setData(this.path, data, version, call));
      return decision;
    } catch (error) {
      if (!isCode(error, 'BADVERSION')) throw error;
      return (await this.found(wait)).record.decision ?? decision;
    }
  }

  private async found(wait: Wait): Promise<Found> {
    const known = await readIfThere(wait, this.path);
    // This server may lag: sync so that it has the transaction.
    if (known === undefined) await retried(wait, (call) => this.client.sync(this.path, call));
    const znode = known ?? (await readIfThere(wait, this.path));
    return { record: parseTransaction(this.path, znode?.data), version: znode?.stat.version ?? 0 };
  }

  private siteNode(site: string): string {
    return childPath(this.path, `site-${site}`);
  }
}
