import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SharedByTests } from './shared-by-tests.js';

const outcome = (run: () => Promise<void>): Promise<string> =>
  run().then(
    () => 'passed',
    (error: Error) => error.message,
  );

function makeShared(closing?: Error): { shared: SharedByTests<World>; log: string[] } {
  const log: string[] = [];
  const close = async () => {
    log.push('closed');
    if (closing !== undefined) throw closing;
  };
  const shared = new SharedByTests(async () => {
    log.push('opened');
    return { close, log };
  });
  return { shared, log };
}

interface World {
  readonly log: string[];
  close(): Promise<void>;
}

test('the first test opens the resource, and the last closes it, even if it fails', async () => {
  const { shared, log } = makeShared();
  const first = shared.use(async (world) => void world.log.push('first'));
  const last = shared.use(async () => {
    throw new Error('broken');
  });
  assert.equal(log, []);
  assert.is(await outcome(first), 'passed');
  assert.equal(log, ['opened', 'first']);
  assert.is(await outcome(last), 'broken');
  assert.equal(log, ['opened', 'first', 'closed']);
});

test('a failed close fails the last test and hides no other failure', async () => {
  const quiet = makeShared(new Error('stays open')).shared;
  const [first, last] = [quiet.use(async () => undefined), quiet.use(async () => undefined)];
  assert.is(await outcome(first), 'passed');
  assert.is(await outcome(last), 'stays open');
  const broken = makeShared(new Error('stays open')).shared.use(async () => {
    throw new Error('broken');
  });
  assert.is(await outcome(broken), 'Error: broken; Error: stays open');
});

test('a resource that does not open fails every test that uses it', async () => {
  const shared = new SharedByTests<World>(async () => {
    throw new Error('no port');
  });
  const uses = [shared.use(async () => undefined), shared.use(async () => undefined)];
  for (const use of uses) assert.is(await outcome(use), 'no port');
});

test.run();
