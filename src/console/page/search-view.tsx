import { useRef, useState } from 'preact/hooks';
import { quoteWord } from '../../commands/zksh/language/quote-word.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { About, Match, Search } from '../api/shapes.js';
import { ask } from './api.js';
import { hrefOf } from './href.js';
import { CommandLine, Fault, Panel } from './parts.js';
import { ago, zkshLine } from './words.js';

const MAX_MATCHES = 1000;
const PERIODS: readonly (readonly [seconds: string, title: string])[] = [
  ['', 'any time'],
  ['60', 'the last minute'],
  ['300', 'the last 5 minutes'],
  ['3600', 'the last hour'],
  ['86400', 'the last day'],
];

interface Progress {
  readonly matches: readonly Match[];
  readonly visited: number;
  readonly state: 'running' | 'done' | 'canceled' | 'full';
}

export function SearchView({ root, about }: { readonly root: string; readonly about: About }) {
  const [line, setLine] = useState(zkshLine(about, 'find', [root]));
  const [progress, setProgress] = useState<Progress | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const stop = useRef(new AbortController());
  const start = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? '') || undefined;
    stop.current.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    setError(undefined);
    const query = {
      path: text('root') ?? '/',
      name: text('name'),
      value: text('value'),
      changed: text('changed'),
    };
    setLine(lineOf(about, query));
    let found: Progress = { matches: [], visited: 0, state: 'running' };
    setProgress(found);
    let after: string | undefined;
    do {
      const part: Search = await ask('/search', { ...query, after }, { signal });
      const matches = [...found.matches, ...part.matches].slice(0, MAX_MATCHES);
      const isFull = matches.length === MAX_MATCHES;
      const state = isFull ? 'full' : part.next === null ? 'done' : 'running';
      found = { matches, visited: found.visited + part.visited, state };
      setProgress(found);
      after = part.next ?? undefined;
    } while (found.state === 'running');
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    start(event.currentTarget).catch((reason: unknown) => {
      const isCanceled = reason instanceof DOMException && reason.name === 'AbortError';
      if (!isCanceled) setError(reason);
      setProgress((before) => before && { ...before, state: 'canceled' });
    });
  };
  return (
    <Panel title="Search">
      <form class="fields" onSubmit={onSubmit}>
        <Field name="root" title="Below" value={root} />
        <Field name="name" title="Name (part, or pattern with *)" />
        <Field name="value" title="Data contains" />
        <label>
          Changed in
          <select name="changed">
            {PERIODS.map(([seconds, title]) => (
              <option key={seconds} value={seconds}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Search</button>
        {progress?.state === 'running' && (
          <button type="button" onClick={() => stop.current.abort()}>
            Cancel
          </button>
        )}
      </form>
      <Fault error={error} />
      {progress && (
        <p role="status">
          {progress.matches.length} found in {progress.visited} znodes
          {progress.state === 'running' ? ' …' : `, ${progress.state}`}
        </p>
      )}
      <ul class="plain" id="matches">
        {progress?.matches.map(({ path, modified, dataLength }) => (
          <li key={path}>
            <a href={hrefOf('tree', path)}>{safeLine(path)}</a> {ago(modified, Date.now())},{' '}
            {dataLength} bytes
          </li>
        ))}
      </ul>
      <CommandLine line={line} />
    </Panel>
  );
}

interface Query {
  readonly path: string;
  readonly name: string | undefined;
  readonly value: string | undefined;
  readonly changed: string | undefined;
}

/** For a value, the lines that contain it: `find` does not read data. */
function lineOf(about: About, { path, name, value, changed }: Query): string {
  if (value !== undefined) return zkshLine(about, 'grep', [value, path], ['-l', '-F']);
  const glob = name === undefined || /[*?]/.test(name) ? name : `*${name}*`;
  const options = [
    ...(glob === undefined ? [] : ['--name', quoteWord(glob)]),
    ...(changed === undefined ? [] : ['--newer', `${changed}s`]),
  ];
  return zkshLine(about, 'find', [path], options);
}

function Field(props: { readonly name: string; readonly title: string; readonly value?: string }) {
  return (
    <label>
      {props.title}
      <input name={props.name} defaultValue={props.value} autocomplete="off" spellcheck={false} />
    </label>
  );
}
