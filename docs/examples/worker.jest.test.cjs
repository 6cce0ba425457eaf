// The same with Jest, whose tests are CommonJS: npx jest worker.jest
const { createClient } = require('zksh/client');
const { startServer } = require('zksh/server');

let server;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

test('a server that refuses writes is an error that a program can read', async () => {
  const client = createClient({ connectString: server.connectString });
  await client.connect();
  server.control.refuseWrites();
  const failed = await client.create('/a', 'x').catch((error) => error);
  expect(failed.code).toBe('THROTTLEDOP');
  expect(failed.hasUnknownOutcome).toBe(false);
  server.control.heal();
  expect((await client.create('/a', 'x')).path).toBe('/a');
  await client.close();
});
