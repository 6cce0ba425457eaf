import { useEffect, useState } from 'preact/hooks';
import { safeText } from '../../protocol/sanitize.js';
import { Fault, Tabs, useAction } from './parts.js';
import { type Form, formsOf, hexLines, imageTypeOf, jsonOf, textOf } from './value-forms.js';
import { counted } from './words.js';

type Bytes = Uint8Array<ArrayBuffer>;

/** Longer text is cut: a browser takes seconds to lay it out. */
const MAX_CHARS = 200_000;
const OPEN_DEPTH = 3;
const MAX_ENTRIES = 500;

interface Props {
  readonly bytes: Bytes | undefined;
  /** For a compressed value. */
  readonly unpack?: { readonly format: string; readonly load: () => Promise<Bytes> } | undefined;
}

export function ValueView({ bytes, unpack }: Props) {
  const [chosen, setChosen] = useState<Form | undefined>(undefined);
  const [unpacked, setUnpacked] = useState<Bytes | undefined>(undefined);
  const { error, run } = useAction();
  useEffect(() => setUnpacked(undefined), [bytes]);
  if (bytes === undefined) return <p>null</p>;
  if (bytes.length === 0) return <p>empty</p>;
  const shown = unpacked ?? bytes;
  const forms = formsOf(shown);
  const form = chosen !== undefined && forms.includes(chosen) ? chosen : (forms[0] ?? 'hex');
  return (
    <>
      <Tabs tabs={forms.map((each) => [each, each])} chosen={form} onChoice={setChosen}>
        {unpack && unpacked === undefined && (
          <button type="button" onClick={() => run(() => unpack.load().then(setUnpacked))}>
            decompress {unpack.format}
          </button>
        )}
        <span>{counted(shown.length, 'byte')}</span>
      </Tabs>
      <Fault error={error} />
      <InForm bytes={shown} form={form} />
    </>
  );
}

function InForm({ bytes, form }: { readonly bytes: Bytes; readonly form: Form }) {
  if (form === 'image') return <Picture bytes={bytes} />;
  if (form === 'hex') return <pre id="value">{hexLines(bytes)}</pre>;
  const text = textOf(bytes) ?? '';
  if (form === 'json') {
    return (
      <div class="json" id="value">
        <Json value={jsonOf(text)} depth={0} />
      </div>
    );
  }
  return (
    <pre id="value">
      {safeText(text.slice(0, MAX_CHARS))}
      {text.length > MAX_CHARS && `\n… and ${text.length - MAX_CHARS} characters more`}
    </pre>
  );
}

function Picture({ bytes }: { readonly bytes: Bytes }) {
  const [url, setUrl] = useState<string | undefined>(undefined);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: imageTypeOf(bytes) ?? '' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return <img src={url} alt="the value" />;
}

function Json({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (typeof value !== 'object' || value === null) {
    const kind = value === null ? 'null' : typeof value;
    return <span class={`json-${kind}`}>{safeText(JSON.stringify(value) ?? '')}</span>;
  }
  const entries = Object.entries(value);
  const [start, end] = Array.isArray(value) ? '[]' : '{}';
  if (entries.length === 0) return <span>{`${start}${end}`}</span>;
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>
        {start} {entries.length} {end}
      </summary>
      <ul class="plain">
        {entries.slice(0, MAX_ENTRIES).map(([key, inner]) => (
          <li key={key}>
            <span class="json-key">{safeText(key)}</span>: <Json value={inner} depth={depth + 1} />
          </li>
        ))}
        {entries.length > MAX_ENTRIES && <li>… {entries.length - MAX_ENTRIES} more</li>}
      </ul>
    </details>
  );
}
