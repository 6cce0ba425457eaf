/**
 * The types that applications rely on. The compiler checks them in every build, and
 * packed.long.test.ts checks them against the declarations of the package.
 */
import {
  type ACL,
  type ClientEvents,
  type ClientOptions,
  type ClientState,
  type CreateResult,
  type connectTo,
  type createIfMissing,
  getValue,
  jsonCodec,
  openTreeCache,
  type ReadOptions,
  type SessionClient,
  type Stat,
  transaction,
  updateValue,
  type WatchChange,
  walk,
  type ZooKeeperClient,
} from '../../src/client/index.js';
import { expectSame, type Result } from './expect-same.js';

type Client = ZooKeeperClient;

expectSame<Result<Client['create']>, CreateResult>(true);
expectSame<Result<Client['exists']>, Stat | null>(true);
expectSame<Result<Client['getData']>, { data: Buffer | null; stat: Stat }>(true);
expectSame<Result<Client['getChildren']>['children'], readonly string[]>(true);
expectSame<Result<Client['getACL']>['acl'], readonly ACL[]>(true);
expectSame<Client['state'], ClientState>(true);
expectSame<ReturnType<Client['watch']>, AsyncIterableIterator<WatchChange>>(true);
expectSame<ClientEvents['expired'], [reason?: Error]>(true);
expectSame<ReturnType<Client['within']>, ZooKeeperClient>(true);
expectSame<Stat['czxid'], bigint>(true);
expectSame<Stat['version'], number>(true);
expectSame<Result<typeof connectTo>, SessionClient>(true);
expectSame<Result<typeof createIfMissing>, { readonly isCreated: boolean; readonly stat: Stat }>(
  true,
);

expectSame<
  keyof ClientEvents,
  ClientState extends infer S
    ? Exclude<S, 'connecting'> | 'state' | 'watch' | 'renewed' | 'error'
    : never
>(true);
expectSame<Parameters<Client['getData']>[0], string>(true);
expectSame<Parameters<Client['setData']>[1], Uint8Array | string | null>(true);
expectSame<keyof ReadOptions, 'watch' | 'signal' | 'timeoutMs'>(true);
expectSame<object extends ClientOptions ? true : false, false>(true);

interface Limits {
  readonly users: number;
}

/** Never called: its body is only compiled. */
export async function typesOfCalls(client: Client): Promise<void> {
  const limits = jsonCodec<Limits>();
  const read = await getValue(client, '/limits', limits);
  expectSame<typeof read.value, Limits>(true);
  const { value } = await updateValue(client, '/limits', limits, ({ users }) => ({
    users: users + 1,
  }));
  expectSame<typeof value, Limits>(true);

  const [made, checked, set] = await transaction(client)
    .create('/a', 'x')
    .check('/a', 0)
    .set('/b', null)
    .commit();
  expectSame<typeof made.path, string>(true);
  expectSame<typeof set.stat, Stat>(true);
  expectSame<'path' extends keyof typeof checked ? true : false, false>(true);

  for await (const { path, stat } of walk(client, '/')) {
    expectSame<[typeof path, typeof stat], [string, Stat]>(true);
  }
  const cache = await openTreeCache(client, '/');
  expectSame<Parameters<typeof cache.get>, [path: string]>(true);

  client.on('state', (state, reason) => {
    expectSame<typeof state, ClientState>(true);
    expectSame<typeof reason, Error | undefined>(true);
  });
}
