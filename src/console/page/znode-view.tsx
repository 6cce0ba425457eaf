import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isWithin } from '../../protocol/path.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { About, Children, History, LiveEvent, SessionOwner, Znode } from '../api/shapes.js';
import { AclForm } from './acl-form.js';
import { ApiProblem, ask } from './api.js';
import { CreateForm, DeleteForm } from './change-forms.js';
import { EditForm } from './edit-form.js';
import { hrefOf } from './href.js';
import type { Live } from './live.js';
import { CommandLine, Editable, Fault, Panel, useLoaded } from './parts.js';
import { TransferPanel } from './transfer-panel.js';
import { bytesOf } from './value-forms.js';
import { ValueView } from './value-view.js';
import { aclInWords, ago, clock, sequenceOf, statInWords, zkshLine } from './words.js';

const MAX_EVENTS = 100;
const QUEUE_LENGTH = 5;

interface Props {
  readonly path: string;
  readonly about: About;
  readonly live: Live;
}

export function ZnodeView({ path, about, live }: Props) {
  const [turn, setTurn] = useState(0);
  const own = live.seen.find((event) => event.path === path);
  const keys = [path, own, live.gaps, turn];
  const { value: znode, error } = useLoaded(() => ask<Znode>('/znode', { path }), keys);
  const reload = () => setTurn((before) => before + 1);
  const isGone = error instanceof ApiProblem && error.code === 'NONODE';
  const isAllowed = mayChange(about, path);
  return (
    <section class="stack detail" aria-label="znode">
      <h2 class="break">{safeLine(path)}</h2>
      <Fault error={error} />
      {znode && !isGone && (
        <>
          <DataPanel znode={znode} about={about} onSaved={reload} />
          <Queue znode={znode} live={live} />
          <Facts znode={znode} about={about} onSaved={reload} />
        </>
      )}
      <Events path={path} live={live} />
      {znode && !isGone && <TransferPanel path={path} about={about} />}
      {znode && !isGone && isAllowed && (
        <>
          <CreateForm parent={path} about={about} />
          {path !== '/' && mayDelete(about, path) && <DeleteForm znode={znode} about={about} />}
        </>
      )}
    </section>
  );
}

/** Not where the console would refuse it. */
function mayChange({ allowWrites, protected: paths }: About, path: string): boolean {
  return allowWrites && !paths.some((each) => isWithin(path, each));
}

function mayDelete(about: About, path: string): boolean {
  return mayChange(about, path) && !about.protected.some((each) => isWithin(each, path));
}

interface DataProps {
  readonly znode: Znode;
  readonly about: About;
  readonly onSaved: () => void;
}

function DataPanel({ znode, about, onSaved }: DataProps) {
  const before = usePrevious(znode);
  // The same bytes until the value changes, so that its view keeps its state.
  const bytes = useMemo(
    () => (znode.data === null ? undefined : bytesOf(znode.data)),
    [znode.data],
  );
  return (
    <Panel title="Data">
      <Editable
        title="Edit"
        isAllowed={mayChange(about, znode.path)}
        onEnd={onSaved}
        edit={(end) => <EditForm znode={znode} about={about} onEnd={end} />}
      >
        <ValueView bytes={bytes} unpack={unpackOf(znode)} />
        {before && before.data !== znode.data && (
          <details>
            <summary>before version {znode.stat.version}</summary>
            <ValueView bytes={before.data === null ? undefined : bytesOf(before.data)} />
          </details>
        )}
      </Editable>
      <CommandLine line={zkshLine(about, 'get', [znode.path])} />
    </Panel>
  );
}

function unpackOf({ path, compression: format }: Znode) {
  if (format === null) return undefined;
  const load = async () => {
    const { data } = await ask<Znode>('/znode', { path, decompress: 'true' });
    return bytesOf(data ?? '');
  };
  return { format, load };
}

/** The previous value, if it changed while the page was open. */
function usePrevious(znode: Znode): Znode | undefined {
  const last = useRef<{ now: Znode; before: Znode | undefined }>({ now: znode, before: undefined });
  if (last.current.now.stat.version !== znode.stat.version) {
    last.current = { now: znode, before: last.current.now };
  }
  return last.current.before;
}

function Facts({ znode, about, onSaved }: DataProps) {
  const { stat, acl, path } = znode;
  return (
    <Panel title="Stat and ACL">
      <dl class="facts wide">
        {statInWords(stat, Date.now()).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
        {stat.ephemeralOwner && (
          <div>
            <dt>Ephemeral owner</dt>
            <dd id="owner">
              <Owner id={stat.ephemeralOwner} />
            </dd>
          </div>
        )}
        <div>
          <dt>ACL</dt>
          <dd>
            {acl === null && 'no permission to read the ACL'}
            {acl?.map((entry) => (
              <div key={`${entry.scheme}:${entry.id}:${entry.perms}`}>
                {safeLine(aclInWords(entry))}{' '}
                <code>{safeLine(`${entry.scheme}:${entry.id}:${entry.perms}`)}</code>
              </div>
            ))}
          </dd>
        </div>
      </dl>
      {acl !== null && (
        <Editable
          title="Edit the ACL"
          isAllowed={mayChange(about, path)}
          onEnd={onSaved}
          edit={(end) => (
            <AclForm path={path} acl={acl} aversion={stat.aversion} about={about} onEnd={end} />
          )}
        />
      )}
      <CommandLine line={zkshLine(about, 'stat', [path])} />
      <CommandLine line={zkshLine(about, 'getAcl', [path])} />
    </Panel>
  );
}

function Owner({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(() => ask<SessionOwner>(`/sessions/${id}`), [id]);
  return (
    <>
      session <code>{id}</code>
      {value?.client && ` of client ${value.client}, connected to ${value.server}`}
      {value?.note && ` (${value.note})`}
      <Fault error={error} />
    </>
  );
}

/** Sequential children form the line of a lock, an election, or a queue. */
function Queue({ znode, live }: { readonly znode: Znode; readonly live: Live }) {
  const { path, stat } = znode;
  const own = live.seen.find((event) => event.path !== path && isWithin(event.path, path));
  const { value } = useLoaded(
    async () => (stat.numChildren === 0 ? undefined : ask<Children>('/children', { path })),
    [path, stat.numChildren, own, live.gaps],
  );
  const children = value?.children ?? [];
  const numbered = children.flatMap((child) => {
    const sequence = sequenceOf(child.name);
    return sequence === undefined ? [] : [{ ...child, sequence }];
  });
  if (value === undefined || numbered.length === 0 || numbered.length < children.length)
    return null;
  const line = numbered.sort((a, b) => a.sequence - b.sequence).slice(0, QUEUE_LENGTH);
  return (
    <Panel title={`Queue: ${value.total}`}>
      <ol id="line">
        {line.map(({ name, ephemeralOwner }, at) => (
          <li key={name}>
            {at === 0 && <strong>first (holder): </strong>}
            <a href={hrefOf('tree', `${path === '/' ? '' : path}/${name}`)}>{safeLine(name)}</a>{' '}
            {ephemeralOwner && <Owner id={ephemeralOwner} />}
          </li>
        ))}
      </ol>
      {value.total > children.length && <p>Only the first {children.length} names are compared.</p>}
    </Panel>
  );
}

const EVENT_NAMES: Readonly<Record<string, string>> = {
  NodeCreated: 'created',
  NodeDeleted: 'deleted',
  NodeDataChanged: 'changed',
};

function Events({ path, live }: Pick<Props, 'path' | 'live'>) {
  const [events, setEvents] = useState<readonly LiveEvent[]>([]);
  const { value } = useLoaded(() => ask<History>('/history', { path }), [path, live.gaps]);
  useEffect(() => {
    const known = new Set(value?.events.map(keyOf));
    const seen = live.seen.filter((event) => isWithin(event.path, path));
    const fresh = seen.filter((event) => !known.has(keyOf(event)));
    setEvents([...fresh, ...(value?.events ?? [])].slice(0, MAX_EVENTS));
  }, [value, live.seen, path]);
  return (
    <Panel title="Events">
      {events.length === 0 && <p>no events since {value && clock(value.since, true)}</p>}
      <ul class="plain" id="events">
        {events.map((event) => (
          <li key={keyOf(event)}>
            <time dateTime={event.time} title={event.time}>
              {clock(event.time)}
            </time>{' '}
            <span class="tag">{EVENT_NAMES[event.type] ?? event.type}</span>{' '}
            <a href={hrefOf('tree', event.path)}>{safeLine(event.path)}</a>{' '}
            {ago(event.time, Date.now())}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function keyOf({ time, type, path }: LiveEvent): string {
  return `${time} ${type} ${path}`;
}
