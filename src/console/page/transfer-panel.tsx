import { useState } from 'preact/hooks';
import { safeLine } from '../../protocol/sanitize.js';
import type { About, Imported } from '../api/shapes.js';
import { ask, urlOf } from './api.js';
import { hrefOf } from './href.js';
import { Choice, CommandLine, Fault, Panel, TextField, useAction } from './parts.js';
import { counted, zkshLine } from './words.js';

const FORMATS = ['ndjson', 'json', 'yaml'] as const;

export function TransferPanel({ path, about }: { readonly path: string; readonly about: About }) {
  return (
    <Panel title="Export">
      <div class="tabs">
        {FORMATS.map((format) => (
          <a key={format} href={urlOf('/export', { path, format })} download>
            {format}
          </a>
        ))}
      </div>
      <CommandLine line={zkshLine(about, 'dump', [path], ['--to', 'znodes.dump'])} />
      {about.allowWrites && <ImportForm about={about} />}
    </Panel>
  );
}

const EXISTING = [
  ['refuse', 'refuse the import'],
  ['resume', 'keep those with equal data'],
  ['overwrite', 'replace their data and ACL'],
] as const;

interface Checked {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly counted: Imported;
}

/** Counts first, and shows where the znodes would be. */
function ImportForm({ about }: { readonly about: About }) {
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  const [existing, setExisting] = useState<string>('refuse');
  const [target, setTarget] = useState('');
  const { error, run } = useAction();
  const path = target === '' ? undefined : target;
  const check = async (file: File | undefined) => {
    setChecked(undefined);
    if (file === undefined) return;
    const body = new Uint8Array(await file.arrayBuffer());
    const query = { path, dryRun: 'true' };
    const counted = await ask<Imported>('/import', query, { method: 'POST', body });
    setChecked({ body, counted });
  };
  const restore = async ({ body, counted }: Checked) => {
    setChecked(undefined);
    await ask('/import', { path: counted.path, existing }, { method: 'POST', body });
    location.hash = hrefOf('tree', counted.path);
  };
  return (
    <details>
      <summary>Import a dump</summary>
      <div class="fields">
        <TextField
          title="To the path (empty: as in the dump)"
          value={target}
          onValue={(value) => {
            setTarget(value);
            setChecked(undefined);
          }}
        />
        <Choice title="If znodes exist" value={existing} onValue={setExisting} choices={EXISTING} />
        <label>
          File
          <input
            type="file"
            onChange={({ currentTarget }) => run(() => check(currentTarget.files?.[0]))}
          />
        </label>
      </div>
      {checked && <Preview checked={checked} onImport={() => run(() => restore(checked))} />}
      <Fault error={error} />
      <CommandLine
        line={zkshLine(
          about,
          'restore',
          ['znodes.dump', ...(path ? [path] : [])],
          existing === 'refuse' ? [] : [`--${existing}`],
        )}
      />
    </details>
  );
}

function Preview(props: { readonly checked: Checked; readonly onImport: () => void }) {
  const { path, znodes, bytes, existing, sample } = props.checked.counted;
  return (
    <>
      <p id="preview">
        {counted(znodes, 'znode')}, {counted(bytes, 'byte')}, to {safeLine(path)}; {existing} of
        them exist:
      </p>
      <ul class="plain">
        {sample.map((each) => (
          <li key={each}>{safeLine(each)}</li>
        ))}
        {znodes > sample.length && <li>…</li>}
      </ul>
      <button type="button" onClick={props.onImport}>
        Import {counted(znodes, 'znode')}
      </button>
    </>
  );
}
