/** Every change expects the version that the user saw. */
import { useState } from 'preact/hooks';
import { childPath } from '../../protocol/path.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { Subtree, Znode } from '../api/shapes.js';
import { ApiProblem, ask } from './api.js';
import { hrefOf } from './href.js';
import { CommandLine, Fault } from './parts.js';
import { bytesOf, textOf } from './value-forms.js';
import { ValueView } from './value-view.js';
import { zkshLine } from './words.js';

function textOfZnode({ data }: Znode): string | undefined {
  return data === null ? '' : textOf(bytesOf(data));
}

interface EditProps {
  readonly znode: Znode;
  readonly servers: string;
  readonly onEnd: () => void;
}

export function EditForm({ znode, servers, onEnd }: EditProps) {
  /** The version when the edit began: a later one is a conflict. */
  const [base, setBase] = useState(znode);
  const [text, setText] = useState(textOfZnode(znode));
  const [current, setCurrent] = useState<Znode | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const { path } = znode;
  if (text === undefined) {
    return (
      <>
        <p>This value is not text. Change it with the API or with zksh.</p>
        <button type="button" onClick={onEnd}>
          Close
        </button>
      </>
    );
  }
  const save = async (version: number) => {
    setError(undefined);
    try {
      await ask('/znode', { path }, { method: 'PUT', body: text, version });
      onEnd();
    } catch (reason) {
      if (!(reason instanceof ApiProblem) || reason.code !== 'BADVERSION') return setError(reason);
      setCurrent(await ask<Znode>('/znode', { path }));
    }
  };
  const submit = (version: number) => {
    save(version).catch(setError);
  };
  const editCurrent = (other: Znode) => {
    setBase(other);
    setText(textOfZnode(other));
    setCurrent(undefined);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(base.stat.version);
      }}
    >
      <textarea
        aria-label="data"
        rows={12}
        value={text}
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Fault error={error} />
      {current && (
        <section class="conflict" role="alert">
          <strong>
            Another client changed the znode: version {current.stat.version}; you began with{' '}
            {base.stat.version}.
          </strong>
          <div class="columns">
            <Side title="Value when you began" znode={base} />
            <Side title="Current value" znode={current} />
          </div>
          <button type="button" onClick={() => editCurrent(current)}>
            Edit the current value
          </button>
          <button type="button" onClick={() => submit(current.stat.version)}>
            Replace it with my text
          </button>
        </section>
      )}
      <div class="tabs">
        <button type="submit" disabled={current !== undefined}>
          Save over version {base.stat.version}
        </button>
        <button type="button" onClick={onEnd}>
          Cancel
        </button>
      </div>
      <CommandLine line={zkshLine(servers, 'set', [path, text, '-v', String(base.stat.version)])} />
    </form>
  );
}

function Side({ title, znode: { data } }: { readonly title: string; readonly znode: Znode }) {
  return (
    <div>
      <h3>{title}</h3>
      <ValueView bytes={data === null ? undefined : bytesOf(data)} />
    </div>
  );
}

const MODES = ['persistent', 'sequential', 'container'] as const;

export function CreateForm(props: { readonly parent: string; readonly servers: string }) {
  const { parent, servers } = props;
  const [name, setName] = useState('');
  const [mode, setMode] = useState<string>('persistent');
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const path = childPath(parent, name);
  const create = () => {
    setError(undefined);
    ask<{ readonly path: string }>('/znode', { path, mode }, { method: 'POST', body: text })
      .then((created) => {
        location.hash = hrefOf('tree', created.path);
      })
      .catch(setError);
  };
  const flag = { persistent: [], sequential: ['-s'], container: ['-c'] }[mode] ?? [];
  return (
    <details class="panel">
      <summary>Create a child</summary>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          create();
        }}
      >
        <label>
          Name
          <input
            value={name}
            required={mode !== 'sequential'}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <label>
          Kind
          <select value={mode} onChange={({ currentTarget }) => setMode(currentTarget.value)}>
            {MODES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Data
          <textarea
            rows={3}
            value={text}
            spellcheck={false}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit">Create</button>
      </form>
      <Fault error={error} />
      <CommandLine line={zkshLine(servers, 'create', [...flag, path, text])} />
    </details>
  );
}

export function DeleteForm(props: { readonly znode: Znode; readonly servers: string }) {
  const { znode, servers } = props;
  const { path, stat } = znode;
  const [subtree, setSubtree] = useState<Subtree | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const count = () => {
    setError(undefined);
    ask<Subtree>('/subtree', { path }).then(setSubtree).catch(setError);
  };
  const remove = (counted: Subtree) => {
    const query = { path, count: counted.count };
    ask('/znode', query, { method: 'DELETE', version: stat.version })
      .then(() => {
        location.hash = hrefOf('tree', path.replace(/\/[^/]*$/, '') || '/');
      })
      .catch((reason: unknown) => {
        setError(reason);
        setSubtree(undefined);
      });
  };
  return (
    <details class="panel">
      <summary>Delete</summary>
      {subtree === undefined ? (
        <button type="button" onClick={count}>
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
            onClick={() => remove(subtree)}
          >
            Delete {subtree.count} {subtree.count === 1 ? 'znode' : 'znodes'}
          </button>
        </>
      )}
      <Fault error={error} />
      <CommandLine line={zkshLine(servers, 'deleteall', [path])} />
    </details>
  );
}
