/** Every change expects the version that the user saw. */
import { useState } from 'preact/hooks';
import { childPath, parentPath } from '../../protocol/path.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { About, Subtree, Znode } from '../api/shapes.js';
import { ask } from './api.js';
import { hrefOf } from './href.js';
import { Choice, CommandLine, Fault, TextArea, TextField, useAction } from './parts.js';
import { zkshLine } from './words.js';

const MODES = [
  ['persistent', 'persistent'],
  ['sequential', 'sequential'],
  ['container', 'container'],
] as const;

export function CreateForm(props: { readonly parent: string; readonly about: About }) {
  const { parent, about } = props;
  const [name, setName] = useState('');
  const [mode, setMode] = useState<string>('persistent');
  const [text, setText] = useState('');
  const { error, run } = useAction();
  const path = childPath(parent, name);
  const create = async () => {
    const sent = { method: 'POST', body: text } as const;
    const created = await ask<{ readonly path: string }>('/znode', { path, mode }, sent);
    location.hash = hrefOf('tree', created.path);
  };
  const flag = { persistent: [], sequential: ['-s'], container: ['-c'] }[mode] ?? [];
  return (
    <details class="panel">
      <summary>Create a child</summary>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          run(create);
        }}
      >
        <TextField title="Name" value={name} onValue={setName} isRequired={mode !== 'sequential'} />
        <Choice title="Kind" value={mode} onValue={setMode} choices={MODES} />
        <div>
          <span aria-hidden="true">Data</span>
          <TextArea title="Data of the new znode" rows={3} value={text} onValue={setText} />
        </div>
        <button type="submit">Create</button>
      </form>
      <Fault error={error} />
      <CommandLine line={zkshLine(about, 'create', [path, text], flag)} />
    </details>
  );
}

export function DeleteForm(props: { readonly znode: Znode; readonly about: About }) {
  const { znode, about } = props;
  const { path, stat } = znode;
  const [subtree, setSubtree] = useState<Subtree | undefined>(undefined);
  const { error, run } = useAction();
  const count = () => ask<Subtree>('/subtree', { path }).then(setSubtree);
  const remove = async ({ count: expected }: Subtree) => {
    // After a refusal, the count is outdated.
    setSubtree(undefined);
    await ask('/znode', { path, count: expected }, { method: 'DELETE', version: stat.version });
    location.hash = hrefOf('tree', parentPath(path));
  };
  return (
    <details class="panel">
      <summary>Delete</summary>
      {subtree === undefined ? (
        <button type="button" onClick={() => run(count)}>
          Count the znodes first
        </button>
      ) : (
        <>
          <p>
            {subtree.isWhole ? subtree.count : `More than ${subtree.count}`} znodes,{' '}
            {subtree.ephemerals} of them ephemeral, {subtree.bytes} bytes:
          </p>
          <ul class="plain">
            {subtree.sample.map((each) => (
              <li key={each}>{safeLine(each)}</li>
            ))}
            {subtree.count > subtree.sample.length && <li>…</li>}
          </ul>
          <button
            type="button"
            class="danger"
            disabled={!subtree.isWhole}
            onClick={() => run(() => remove(subtree))}
          >
            Delete {subtree.count} {subtree.count === 1 ? 'znode' : 'znodes'}
          </button>
        </>
      )}
      <Fault error={error} />
      <CommandLine line={zkshLine(about, 'deleteall', [path], ['--yes'])} />
    </details>
  );
}
