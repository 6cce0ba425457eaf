/** The data of a znode as text or in hex. A change by another client is merged, not lost. */
import { useState } from 'preact/hooks';
import { diffLines } from '../../commands/results/line-diff.js';
import { mergeLines } from '../../commands/results/merge-lines.js';
import { quoteWord } from '../../commands/zksh/language/quote-word.js';
import { safeText } from '../../protocol/sanitize.js';
import type { About, Znode } from '../api/shapes.js';
import { ApiProblem, ask } from './api.js';
import { CommandLine, Fault, TextArea, useAction } from './parts.js';
import { bytesOf, bytesOfDraft, type Draft, draftOf } from './value-forms.js';
import { zkshLine } from './words.js';

/** As the server, which would refuse a longer value. */
const MAX_LENGTH = 1_000_000;

function draftOfZnode({ data }: Znode): Draft {
  return draftOf(data === null ? new Uint8Array() : bytesOf(data));
}

interface EditProps {
  readonly znode: Znode;
  readonly about: About;
  readonly onEnd: () => void;
}

export function EditForm({ znode, about, onEnd }: EditProps) {
  /** The version when the edit began: a later one is a conflict. */
  const [base, setBase] = useState(znode);
  const [draft, setDraft] = useState(() => draftOfZnode(znode));
  const [current, setCurrent] = useState<Znode | undefined>(undefined);
  const { error, run } = useAction();
  const { path } = znode;
  const save = async (version: number) => {
    try {
      await ask('/znode', { path }, { method: 'PUT', body: bytesOfDraft(draft), version });
      onEnd();
    } catch (reason) {
      if (!(reason instanceof ApiProblem) || reason.code !== 'BADVERSION') throw reason;
      setCurrent(await ask<Znode>('/znode', { path }));
    }
  };
  const editOn = (other: Znode, changed: Draft) => {
    setBase(other);
    setDraft(changed);
    setCurrent(undefined);
  };
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_LENGTH) throw new RangeError(`the file has more than ${MAX_LENGTH} bytes`);
    setDraft(draftOf(new Uint8Array(await file.arrayBuffer())));
  };
  const version = ['-v', `${base.stat.version}`];
  const line =
    draft.form === 'text'
      ? zkshLine(about, 'set', [path, draft.text.replaceAll('\n', draft.end)], version)
      : zkshLine(about, 'set', [], [...version, quoteWord(path), '@FILE']);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(() => save(base.stat.version));
      }}
    >
      <TextArea
        title={draft.form === 'text' ? 'data' : 'data in hex'}
        rows={12}
        isFocused
        value={draft.text}
        onValue={(text) => setDraft({ ...draft, text })}
      />
      <label>
        Replace with a file{' '}
        <input
          type="file"
          onChange={({ currentTarget }) => run(() => read(currentTarget.files?.[0]))}
        />
      </label>
      <Fault error={error} />
      {current && (
        <Conflict
          base={base}
          draft={draft}
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
      <CommandLine line={line} />
    </form>
  );
}

interface ConflictProps {
  readonly base: Znode;
  readonly draft: Draft;
  readonly current: Znode;
  readonly onEdit: (draft: Draft) => void;
  readonly onReplace: () => void;
}

/** Three sides: the value at the beginning, and what each of the two made of it. */
function Conflict({ base, draft, current, onEdit, onReplace }: ConflictProps) {
  const [began, theirs] = [draftOfZnode(base), draftOfZnode(current)];
  const isSame = [began, theirs].every(({ form, end }) => form === draft.form && end === draft.end);
  const merge = isSame ? mergeLines(began.text, draft.text, theirs.text) : undefined;
  return (
    <section class="conflict" role="alert">
      <strong>
        Another client changed the znode: version {current.stat.version}; you began with{' '}
        {base.stat.version}.
      </strong>
      <div class="columns">
        <div>
          <h3>Value when you began</h3>
          <pre>{safeText(began.text)}</pre>
        </div>
        <div>
          <h3>Your text</h3>
          <Changes from={began.text} to={draft.text} />
        </div>
        <div>
          <h3>Current value</h3>
          <Changes from={began.text} to={theirs.text} />
        </div>
      </div>
      <div class="tabs">
        {merge && (
          <button type="button" onClick={() => onEdit({ ...draft, text: merge.text })}>
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
