import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LoadChildren, TreeModel } from '../../../src/console/page/tree-model.js';
import { waitFor } from '../../support/wait-for.js';

/** Children by path; `asked` collects the requests, which wait for `answering`. */
function makeTree(names: Record<string, string[]>, answering = async () => {}) {
  const asked: string[] = [];
  const load: LoadChildren = async (path, { offset = 0, find, limit }) => {
    asked.push(`${path} ${find ?? offset}`);
    await answering();
    const all = names[path];
    if (all === undefined) throw new Error(`no ${path}`);
    const index = find === undefined ? -1 : all.indexOf(find);
    const start = index === -1 ? offset : index - (index % limit);
    const children = all.slice(start, start + limit).map((name) => ({
      name,
      numChildren: names[`${path === '/' ? '' : path}/${name}`]?.length ?? 0,
      dataLength: 0,
      version: 0,
      modified: '',
      ephemeralOwner: null,
    }));
    return { path, total: all.length, offset: start, index: index === -1 ? null : index, children };
  };
  const errors: unknown[] = [];
  const model = new TreeModel(
    load,
    () => undefined,
    (error) => errors.push(error),
  );
  const rows = () =>
    Array.from({ length: model.rowCount }, (_, at) => {
      const row = model.rowAt(at);
      return `${' '.repeat(row?.depth ?? 0)}${row?.name}`;
    });
  return { model, asked, errors, rows };
}

const number = (at: number) => `n${String(at).padStart(6, '0')}`;

test('open branches lie between the rows of their parents', async () => {
  const { model, rows } = makeTree({ '/': ['a', 'b', 'c'], '/a': ['x', 'y'], '/c': ['z'] });
  await model.start();
  await model.open('/c');
  await model.open('/a');
  assert.equal(rows(), ['/', ' a', '  x', '  y', ' b', ' c', '  z']);
  assert.equal(
    ['/', '/b', '/a/y', '/c/z', '/d'].map((path) => model.placeOf(path)),
    [0, 4, 3, 6, undefined],
  );
  model.close('/a');
  assert.equal(rows(), ['/', ' a', ' b', ' c', '  z']);
});

test('of a hundred thousand children only the shown pages load', async () => {
  const names = Array.from({ length: 100_000 }, (_, at) => number(at));
  const { model, asked } = makeTree({
    '/': ['big'],
    '/big': names,
    [`/big/${number(70_000)}`]: ['leaf'],
  });
  await model.start();
  await model.reveal(`/big/${number(70_000)}/leaf`);
  assert.is(model.rowCount, 100_003);
  assert.is(model.placeOf(`/big/${number(70_000)}/leaf`), 70_003);
  assert.is(model.rowAt(99_000)?.name, '…');
  await waitFor('the page', () => model.rowAt(99_000)?.child);
  assert.is(model.rowAt(99_000)?.name, number(98_997));
  assert.ok(asked.length < 10, asked.join());
});

test('changes move rows, keep branches open, and close those that are gone', async () => {
  const names: Record<string, string[]> = { '/': ['b', 'c'], '/b': ['x'], '/c': ['y'] };
  const { model, rows } = makeTree(names);
  await model.start();
  await model.open('/b');
  await model.open('/c');
  names['/'] = ['a', 'b'];
  names['/b'] = ['w', 'x'];
  model.changed(['/a', '/c', '/b/w']);
  const wanted = ['/', ' a', ' b', '  w', '  x'];
  await waitFor('the rows', () => rows().join() === wanted.join());
});

test('a refresh keeps a branch that opens meanwhile', async () => {
  const { model, rows } = makeTree({ '/': ['a', 'b'], '/a': ['x'], '/b': ['y'] });
  await model.start();
  await model.open('/a');
  model.changedAll();
  await model.open('/b');
  assert.equal(rows(), ['/', ' a', '  x', ' b', '  y']);
});

test('a refresh keeps a branch closed that closes meanwhile', async () => {
  let gate: Promise<void> | undefined;
  const names = { '/': ['a', 'b'], '/a': ['x'], '/b': ['y'] };
  const { model, asked, rows } = makeTree(names, async () => gate);
  await model.start();
  await model.open('/a');
  await model.open('/b');
  let answer = () => {};
  gate = new Promise((resolve) => {
    answer = resolve;
  });
  const before = asked.length;
  model.changedAll();
  await waitFor('the refresh to ask', () => asked.length > before);
  model.close('/a');
  answer();
  await model.reveal('/b/y');
  assert.equal(rows(), ['/', ' a', ' b', '  y']);
});

test('a path that the user left is not opened again', async () => {
  const { model, rows } = makeTree({ '/': ['a'], '/a': ['x'] });
  await model.start();
  await model.reveal('/a/x', () => false);
  assert.equal(rows(), ['/', ' a']);
});

test('a page that fails is reported, and is not asked for again at once', async () => {
  const names: Record<string, string[]> = {
    '/': Array.from({ length: 300 }, (_, at) => number(at)),
  };
  const { model, asked, errors } = makeTree(names);
  await model.start();
  delete names['/'];
  const before = asked.length;
  for (let at = 0; at < 5; at++) model.rowAt(250);
  await waitFor('the error', () => errors.length > 0);
  model.rowAt(250);
  assert.is(asked.length, before + 1);
});

test.run();
