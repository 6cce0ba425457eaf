/**
 * Calls as applications of node-zookeeper-client and zookeeper write them. The compiler checks
 * them in every build: no parameter of a callback may be an implicit any.
 */
import {
  ACL,
  CreateMode,
  createClient,
  Event,
  type Exception,
  Id,
  Permission,
  type Stat,
} from '../../src/compat/node-zookeeper-client/index.js';
import ZooKeeper from '../../src/compat/zookeeper/index.js';

const acls = [new ACL(Permission.ALL, Id.ANYONE_ID_UNSAFE)];

export function withCallbacks(): void {
  const client = createClient('127.0.0.1:2181', { retries: 2 });
  const data = Buffer.from('x');
  client.create('/a', (error, path) => console.log(error?.message, path.length));
  client.create('/a', data, (error, path) => console.log(error?.message, path.length));
  client.create('/a', CreateMode.EPHEMERAL, (error, path) => console.log(error, path.length));
  client.create('/a', data, acls, CreateMode.EPHEMERAL, (_, path) => console.log(path.length));
  client.mkdirp('/a/b', data, (error, path) => console.log(error?.message, path.length));
  client.exists('/a', (error, stat) => console.log(error?.message, stat?.version));
  client.exists(
    '/a',
    (event) => console.log(event.getType() === Event.NODE_CREATED),
    (error, stat) => console.log(error?.message, stat?.version),
  );
  client.getData('/a', (error, found, stat) => console.log(error, found?.length, stat.version));
  client.getChildren('/a', (_, children, stat) => console.log(children.length, stat.version));
  client.setData('/a', data, -1, (error, stat) => console.log(error?.message, stat.version));
  client.setACL('/a', acls, (error, stat) => console.log(error?.message, stat.version));
  client.remove('/a', 3, (error) => console.log(error?.message));
  client.removeRecursive('/a', (error) => console.log(error?.message));
  client
    .transaction()
    .create('/a', data, acls)
    .remove('/b')
    .commit((error) => console.log(error));
}

/** As the types of the old package have it: always an error, always data. */
export function withOldTypes(): void {
  const client = createClient('127.0.0.1:2181');
  client.getData('/a', (error: Error | Exception, found: Buffer, stat: Stat) => {
    if (error) throw error;
    console.log(found.toString(), stat.version);
  });
}

export async function withPromises(): Promise<void> {
  const client = new ZooKeeper({ connect: '127.0.0.1:2181' });
  const [stat, data] = await client.get('/a', false);
  const path: string = await client.create('/a', 'x', ZooKeeper.ZOO_EPHEMERAL);
  console.log(stat.version, data, path);
}
