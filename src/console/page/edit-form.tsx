/** The data of a znode as text. A change by another client in the meantime is merged, not lost. */
import { useState } from 'preact/hooks';
import { diffLines } from '../../commands/zksh/results/line-diff.js';
import { mergeLines } from '../../commands/zksh/results/merge-lines.js';
import { safeText } from '../../protocol/sanitize.js';
import type { Znode } from '../api/shapes.js';
import { ApiProblem, ask } from './api.js';
import { CommandLine, Fault, TextArea, useAction } from './parts.js';
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
  const { error, run } = useAction();
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
    try {
      await ask('/znode', { path }, { method: 'PUT', body: text, version });
      onEnd();
    } catch (reason) {
      if (!(reason instanceof ApiProblem) || reason.code !== 'BADVERSION') throw reason;
      setCurrent(await ask<Znode>('/znode', { path }));
    }
  };
  const editOn = (other: Znode, changed: string | undefined) => {
    setBase(other);
    setText(changed);
    setCurrent(undefined);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(() => save(base.stat.version));
      }}
    >
      <TextArea title="data" rows={12} value={text} onValue={setText} />
      <Fault error={error} />
      {current && (
        <Conflict
          base={base}
          text={text}
          current={current}
          onEdit={(changed) => editOn(current, changed)}
          onReplace={() => run(() => save(current.stat.version))}
        />
      )}
      <div class="tabs">
        <button type="submit" disabled={current !== undefined}>
          Save over version {base.stat.version}
        </button>
        <button type="button" onClick={onEnd}>
          Cancel
        </button>
      </div>
      <CommandLine line={zkshLine(servers, 'set', [path, text], ['-v', `${base.stat.version}`])} />
    </form>
  );
}

interface ConflictProps {
  readonly base: Znode;
  readonly text: string;
  readonly current: Znode;
  readonly onEdit: (text: string | undefined) => void;
  readonly onReplace: () => void;
}

/** Three sides: the value at the beginning, and what each of the two made of it. */
function Conflict({ base, text, current, onEdit, onReplace }: ConflictProps) {
  const [began, theirs] = [textOfZnode(base) ?? '', textOfZnode(current)];
  const merge = theirs === undefined ? undefined : mergeLines(began, text, theirs);
  return (
    <section class="conflict" role="alert">
      <strong>
        Another client changed the znode: version {current.stat.version}; you began with{' '}
        {base.stat.version}.
      </strong>
      <div class="columns">
        <div>
          <h3>Value when you began</h3>
          <pre>{safeText(began)}</pre>
        </div>
        <div>
          <h3>Your text</h3>
          <Changes from={began} to={text} />
        </div>
        <div>
          <h3>Current value</h3>
          {theirs === undefined ? (
            <ValueView bytes={current.data === null ? undefined : bytesOf(current.data)} />
          ) : (
            <Changes from={began} to={theirs} />
          )}
        </div>
      </div>
      <div class="tabs">
        {merge && (
          <button type="button" onClick={() => onEdit(merge.text)}>
            {merge.conflicts === 0
              ? 'Edit both changes merged'
              : `Edit both changes merged; places in conflict: ${merge.conflicts}`}
          </button>
        )}
        <button type="button" onClick={() => onEdit(theirs)}>
          Edit the current value
        </button>
        <button type="button" onClick={onReplace}>
          Replace it with my text
        </button>
      </div>
    </section>
  );
}

function Changes({ from, to }: { readonly from: string; readonly to: string }) {
  const names = { ' ': '', '-': 'removed', '+': 'added' } as const;
  return (
    <pre>
      {diffLines(from.split('\n'), to.split('\n')).map(({ sign, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
        <span key={at} class={names[sign]}>{`${sign} ${safeText(text)}\n`}</span>
      ))}
    </pre>
  );
}
