// A screen of ten rows, eight of them for a result.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pager } from '../../../src/commands/terminal/pager.js';
import { PagedOutput } from '../../../src/shell/terminal/paged-output.js';
import { waitFor } from '../../support/wait-for.js';

function makeWorld() {
  const shown: string[] = [];
  const paged: string[] = [];
  let leave: (isShown: boolean) => void = () => undefined;
  const world = { shown, paged, ends: 0, lefts: 0, leave: (isShown: boolean) => leave(isShown) };
  const open = async (): Promise<Pager> => {
    const left = new Promise<boolean>((resolve) => {
      leave = resolve;
    });
    return {
      left,
      write: async (text) => void paged.push(text),
      end: () => {
        world.ends++;
        leave(true);
      },
    };
  };
  const parts = {
    show: (text: string) => void shown.push(text),
    size: () => ({ rows: 10, columns: 20 }),
    onLeft: () => {
      world.lefts++;
    },
  };
  return { ...parts, world, paging: new PagedOutput({ ...parts, open }), parts };
}

const rows = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}`).join('\n');

test('output that fits is shown unchanged when it is complete', async () => {
  const { world, paging } = makeWorld();
  await paging.write(rows(4));
  await paging.write(rows(4));
  assert.equal(world.shown, []);
  await paging.finish();
  assert.equal([world.shown, world.paged], [[`${rows(4)}\n${rows(4)}`], []]);
});

test('output that does not fit goes to the pager, including all other parts', async () => {
  const { world, paging } = makeWorld();
  await paging.write(rows(8));
  await paging.write('more');
  await paging.write('last');
  await paging.finish();
  assert.equal([world.shown, world.paged], [[], [`${rows(8)}\nmore\n`, 'last\n']]);
  assert.equal([world.ends, world.lefts], [1, 0]);
  await paging.write('the next result');
  await paging.finish();
  assert.equal(world.shown, ['the next result']);
});

test('a wrapped line counts as several rows', async () => {
  const { world, paging } = makeWorld();
  await paging.write('x'.repeat(8 * 20 + 1));
  await paging.finish();
  assert.is(world.paged.length, 1);
});

test('a question shows pending output, and later output is not paged', async () => {
  const { world, paging } = makeWorld();
  await paging.write('sample');
  paging.release();
  assert.equal(world.shown, ['sample']);
  await paging.write(rows(20));
  await paging.finish();
  assert.equal([world.shown, world.paged], [['sample', rows(20)], []]);
});

test('slow output is shown as it arrives', async () => {
  const { world, paging } = makeWorld();
  await paging.write('first');
  await waitFor('the row', () => world.shown.length === 1);
  await paging.write(rows(20));
  assert.is(world.shown.length, 2);
});

test('a pager that exits early is reported, once', async () => {
  const { world, paging } = makeWorld();
  await paging.write(rows(20));
  world.leave(true);
  await waitFor('the word', () => world.lefts === 1);
  await paging.finish();
  assert.equal([world.lefts, world.shown], [1, []]);
});

test('all output is shown if the pager cannot start', async () => {
  const { world, paging } = makeWorld();
  await paging.write(rows(20));
  world.leave(false);
  await waitFor('the rows', () => world.shown.length === 1);
  await paging.write('more');
  await paging.finish();
  assert.equal([world.shown, world.lefts], [[rows(20), 'more'], 0]);
});

test('without a pager, all output is shown at once', async () => {
  const { parts, world } = makeWorld();
  const direct = new PagedOutput({ ...parts, open: undefined });
  await direct.write(rows(20));
  assert.equal(world.shown, [rows(20)]);
});

test.run();
