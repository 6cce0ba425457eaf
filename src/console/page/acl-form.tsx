import { useState } from 'preact/hooks';
import { safeLine } from '../../protocol/sanitize.js';
import type { About, Acl, Znode } from '../api/shapes.js';
import { ask } from './api.js';
import { CommandLine, Fault, TextArea, useAction } from './parts.js';
import { aclInWords, zkshLine } from './words.js';

interface Props {
  readonly path: string;
  readonly acl: readonly Acl[];
  readonly aversion: Znode['stat']['aversion'];
  readonly about: About;
  readonly onEnd: () => void;
}

/** One entry in each line, explained below while the user types. */
export function AclForm({ path, acl, aversion, about, onEnd }: Props) {
  const [text, setText] = useState(
    acl.map(({ scheme, id, perms }) => `${scheme}:${id}:${perms}`).join('\n'),
  );
  const { error, run } = useAction();
  const lines = text.trim().split('\n');
  const list = lines.join(',');
  const save = async () => {
    await ask('/acl', { path }, { method: 'PUT', body: list, version: aversion });
    onEnd();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run(save);
      }}
    >
      <TextArea
        title="ACL, one scheme:id:permissions in each line"
        rows={4}
        isFocused
        value={text}
        onValue={setText}
      />
      <ul class="plain" id="acl-words">
        {lines.map((line) => {
          const entry = entryOf(line);
          return <li key={line}>{entry ? safeLine(aclInWords(entry)) : '…'}</li>;
        })}
      </ul>
      <Fault error={error} />
      <div class="tabs">
        <button type="submit">Save the ACL</button>
        <button type="button" onClick={onEnd}>
          Cancel
        </button>
      </div>
      <CommandLine line={zkshLine(about, 'setAcl', [path, list], ['-v', `${aversion}`])} />
    </form>
  );
}

/** Only for the explanation: the console checks the entries. */
function entryOf(line: string): Acl | undefined {
  const [, scheme, id = '', perms = ''] = /^\s*(\w+):(.*):([cdrwa]+)\s*$/.exec(line) ?? [];
  return scheme === undefined ? undefined : { scheme, id, perms };
}
