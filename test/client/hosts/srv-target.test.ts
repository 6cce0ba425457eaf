// Servers that a name server knows.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkSrvTarget,
  resolveSrv,
  type SrvRecord,
} from '../../../src/client/hosts/srv-target.js';
import { startServer } from '../../../src/server/main.js';
import { freePort } from '../../support/machine/free-port.js';
import { startDnsServer } from '../../support/peers/dns-server.js';
import { rolesOf, runZkops } from '../../support/terminal/run-zkops.js';
import { runZksh } from '../../support/terminal/run-zksh.js';
import { makeServedShell } from '../../support/terminal/served-shell.js';

const NAME = '_zookeeper._tcp.example.org';

function record(name: string, priority: number, weight: number, port = 2181): SrvRecord {
  return { name, port, priority, weight };
}

test('an invalid name of a service is refused in words', () => {
  for (const good of [`srv://${NAME}`, `srvs://${NAME}/app/x`, `srv://${NAME}./`]) {
    checkSrvTarget(good);
  }
  assert.throws(
    () => checkSrvTarget('srv://example.org/app'),
    /invalid name: "example\.org" \(expected _service\._protocol\.domain\)/,
  );
  for (const bad of ['srv://', 'srv://_zookeeper', `srv://${NAME}:2181`, `srv://${NAME},b`]) {
    assert.throws(() => checkSrvTarget(bad), /expected _service/, bad);
  }
  assert.throws(() => checkSrvTarget(`srv://${NAME}/a//b`), /chroot/);
  for (const good of ['dns-srv://zookeeper.example.org/app', `dns-srv://${NAME}`]) {
    checkSrvTarget(good);
  }
  for (const bad of ['dns-srv://', 'dns-srv://a,b', 'dns-srv://a:2181', 'dns-srv://a..b']) {
    assert.throws(() => checkSrvTarget(bad), /expected a name with SRV records/, bad);
  }
  assert.throws(() => checkSrvTarget('dns-srv://a/b//c'), /chroot/);
});

test('a record cannot name further servers or a chroot', async () => {
  for (const host of ['zk1,evil', 'zk1/evil', 'zk1:1', '[::1', 'a b']) {
    const lookUp = async () => [record('zk1.example.org', 0, 0), record(host, 0, 0)];
    const fault = await resolveSrv(`srv://${NAME}/app`, lookUp).catch((error: unknown) => error);
    assert.match(String(fault), `${NAME}: the name server sent an invalid host: "${host}"`);
  }
});

test("the form of Apache's client 3.10 names any record", async () => {
  const names: string[] = [];
  const lookUp = async (name: string) => {
    names.push(name);
    return [record('zk1.example.org.', 0, 0)];
  };
  assert.is(await resolveSrv('dns-srv://zk.example.org/app', lookUp), 'zk1.example.org:2181/app');
  assert.equal(names, ['zk.example.org']);
});

test('priorities give the order, weights the chances', async () => {
  const records = [record('c', 20, 0), record('a', 10, 1), record('b', 10, 3), record('d', 30, 5)];
  const lots = new Map<string, number>();
  for (let lot = 0; lot < 100; lot++) {
    const list = await resolveSrv(
      `srv://${NAME}/app/`,
      async () => records,
      () => lot / 100,
    );
    lots.set(list, (lots.get(list) ?? 0) + 1);
  }
  assert.equal([...lots].sort(), [
    ['a:2181,b:2181,c:2181,d:2181/app', 26],
    ['b:2181,a:2181,c:2181,d:2181/app', 74],
  ]);
  assert.is(
    await resolveSrv(`srvs://${NAME}`, async () => [record('zk1.example.org.', 0, 0, 2281)]),
    'zks://zk1.example.org:2281',
  );
});

test('a service without servers is an error in words', async () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };
  const cases = [
    [failing('ENOTFOUND'), /example\.org: no name server knows such a name/],
    [failing('ENODATA'), /has no SRV record/],
    [failing('ETIMEOUT'), /no name server answered within 4 s/],
    [failing('EODD'), /EODD/],
    [async () => [record('', 0, 0)], /reports that the service does not exist/],
    [async () => [], /reports that the service does not exist/],
  ] as const;
  for (const [lookUp, why] of cases) {
    const error = await resolveSrv(`srv://${NAME}`, lookUp).catch((fault: unknown) => fault);
    assert.match(String(error), why);
  }
});

test('zksh and zkops find a server by its records, the reachable one after the other', async () => {
  const server = await startServer();
  const closed = await freePort();
  const records = new Map([
    [NAME, [record('localhost', 20, 1, server.port), record('localhost', 10, 1, closed)]],
  ]);
  const dns = await startDnsServer(records);
  const env = { ZKSH_DNS: dns.address };
  process.env['ZKSH_DNS'] = dns.address;
  try {
    await runZksh([server.connectString, '-c', 'create /app x; create /app/a y']);
    const found = await runZksh([`srv://${NAME}/app`, '-c', 'ls /; status'], '', env);
    assert.is(found.stderr, '');
    assert.match(found.stdout, /^\[a\]\nserver = localhost:\d+\nstate = connected\n/);
    assert.match(
      found.stdout,
      new RegExp(`servers = localhost:${closed},localhost:${server.port}/app\\n`),
    );
    const copied = await runZksh(
      [server.connectString, '-c', `cp srv://${NAME}/app/a /copy; get /copy`],
      '',
      env,
    );
    assert.match(copied.stdout, /\ny\n$/);
    const unknown = await runZksh(['srv://_none._tcp.example.org', '-c', 'ls /'], '', env);
    assert.equal([unknown.code, unknown.stdout], [3, '']);
    assert.match(unknown.stderr, /_none\._tcp\.example\.org: no name server knows such a name/);
    const bad = await runZksh(['srv://example.org', '-c', 'ls /'], '', env);
    assert.equal([bad.code, dns.asked.includes('example.org')], [64, false]);
    records.set(NAME, [record('localhost', 0, 0, server.port)]);
    const asked = await runZkops(['srvr', '--servers', `srv://${NAME}`]);
    assert.equal([asked.error, rolesOf(asked)], ['', ['standalone']]);
    const lacking = await runZkops(['ruok', '--connect', 'srv://_none._tcp.x']);
    assert.is(lacking.exitCode, 64);
    assert.match(lacking.error, /--connect: _none\._tcp\.x: no name server knows/);
  } finally {
    delete process.env['ZKSH_DNS'];
    await dns.close();
    await server.close();
  }
});

test('each session asks anew, and a name without servers ends no session', async () => {
  const [server, later] = await Promise.all([startServer(), startServer()]);
  const records = new Map([[NAME, [record('localhost', 0, 0, server.port)]]]);
  const dns = await startDnsServer(records);
  process.env['ZKSH_DNS'] = dns.address;
  const shell = makeServedShell(`srv://${NAME}`);
  try {
    assert.is(await shell.run('ls /'), '[zookeeper]\n');
    assert.is(shell.session.target, `localhost:${server.port}`);
    records.delete(NAME);
    const lost = await shell.fully('connect');
    assert.equal([lost.error?.code, lost.error?.exitCode], ['ECONNECT', 3]);
    assert.is(await shell.run('ls /'), '[zookeeper]\n');
    records.set(NAME, [record('localhost', 0, 0, later.port)]);
    assert.match(await shell.run('connect'), new RegExp(`^Connected to localhost:${later.port}`));
    assert.match(
      await shell.run(`connect --servers srv://${NAME}`),
      new RegExp(`localhost:${later.port}|moving`),
    );
    assert.is(dns.asked.length, 4);
  } finally {
    delete process.env['ZKSH_DNS'];
    await shell.close();
    await dns.close();
    await Promise.all([server.close(), later.close()]);
  }
});

test.run();
