import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { parentPath } from '../../protocol/path.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { About, Children } from '../api/shapes.js';
import { ask } from './api.js';
import { hrefOf } from './href.js';
import type { Live } from './live.js';
import { Fault } from './parts.js';
import { type Row, TreeModel } from './tree-model.js';
import { ZnodeView } from './znode-view.js';

const ROW_HEIGHT = 26;
const SPARE_ROWS = 6;
const LIT_MS = 3000;

export interface TreeProps {
  readonly selected: string;
  readonly about: About;
  readonly live: Live;
  readonly scope: string | undefined;
  readonly isWholeTree: boolean;
  readonly setWholeTree: (is: boolean) => void;
}

export function TreeView(props: TreeProps) {
  const { selected, about, live, scope, isWholeTree, setWholeTree } = props;
  const [, setTurn] = useState(0);
  const [error, setError] = useState<unknown>(undefined);
  const model = useMemo(
    () =>
      new TreeModel(
        (path, query) => ask<Children>('/children', { path, ...query }),
        () => {
          setError(undefined);
          setTurn((turn) => turn + 1);
        },
        setError,
      ),
    [],
  );
  useEffect(() => {
    let isWanted = true;
    model
      .start()
      .then(() => model.reveal(selected, () => isWanted))
      .then(() => setError(undefined))
      .catch(setError);
    return () => {
      isWanted = false;
    };
  }, [selected]);
  useEffect(() => model.changed(live.latest.map(({ path }) => path)), [live.latest]);
  useEffect(() => model.changedAll(), [live.gaps]);
  return (
    <div class="split">
      <section class="tree-side" aria-label="tree">
        <PathForm selected={selected} />
        <Fault error={error} />
        <Rows model={model} selected={selected} lit={useHighlights(live)} />
        <label class="scope">
          <input
            type="checkbox"
            checked={isWholeTree}
            onChange={({ currentTarget }) => setWholeTree(currentTarget.checked)}
          />
          watch the whole tree{' '}
          <span role="status">
            {scope === undefined ? '(nothing is watched)' : `(live: ${safeLine(scope)})`}
          </span>
        </label>
      </section>
      <ZnodeView key={selected} path={selected} about={about} live={live} />
    </div>
  );
}

/** Paths that changed recently. */
function useHighlights(live: Live): ReadonlySet<string> {
  const [lit, setLit] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (live.latest.length === 0) return undefined;
    setLit(new Set(live.latest.map(({ path }) => path)));
    const timer = setTimeout(() => setLit(new Set()), LIT_MS);
    return () => clearTimeout(timer);
  }, [live.latest]);
  return lit;
}

function PathForm({ selected }: { readonly selected: string }) {
  const [text, setText] = useState(selected);
  useEffect(() => setText(selected), [selected]);
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    location.hash = hrefOf('tree', text.replace(/(.)\/+$/, '$1'));
  };
  return (
    <form class="path" onSubmit={go}>
      <input
        aria-label="path"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        spellcheck={false}
        autocomplete="off"
      />
      <button type="submit">Go</button>
      <a href={hrefOf('search', selected)}>Search below</a>
    </form>
  );
}

interface RowsProps {
  readonly model: TreeModel;
  readonly selected: string;
  readonly lit: ReadonlySet<string>;
}

/** Renders only visible rows. */
function Rows({ model, selected, lit }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const watcher = new ResizeObserver(() => setHeight(element.clientHeight));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const place = model.placeOf(selected);
  useEffect(() => {
    const element = box.current;
    if (element === null || place === undefined) return;
    const y = place * ROW_HEIGHT;
    const isSeen = y >= element.scrollTop && y + ROW_HEIGHT <= element.scrollTop + height;
    if (!isSeen) element.scrollTop = Math.max(0, y - height / 2);
  }, [place]);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
  const last = Math.min(model.rowCount, Math.ceil((top + height) / ROW_HEIGHT) + SPARE_ROWS);
  const rows: (readonly [number, Row])[] = [];
  for (let at = first; at < last; at++) {
    const row = model.rowAt(at);
    if (row !== undefined) rows.push([at, row]);
  }
  return (
    <div
      class="rows"
      ref={box}
      role="tree"
      tabIndex={0}
      aria-label="znodes"
      aria-activedescendant={place === undefined ? undefined : `row-${place}`}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      onKeyDown={(event) => {
        if (onKey(event.key, model, place ?? 0, Math.floor(height / ROW_HEIGHT))) {
          event.preventDefault();
        }
      }}
    >
      <div role="presentation" style={{ height: `${model.rowCount * ROW_HEIGHT}px` }}>
        {rows.map(([at, row]) => (
          <TreeRow
            key={row.path || at}
            at={at}
            row={row}
            model={model}
            isSelected={row.path === selected}
            isLit={lit.has(row.path)}
          />
        ))}
      </div>
    </div>
  );
}

/** @returns whether it handled the key */
function onKey(key: string, model: TreeModel, place: number, page: number): boolean {
  const row = model.rowAt(place);
  const last = model.rowCount - 1;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    PageDown: place + page,
    PageUp: place - page,
    Home: 0,
    End: last,
  };
  const target = moves[key];
  if (target !== undefined) {
    const next = model.rowAt(Math.max(0, Math.min(last, target)));
    if (next !== undefined && next.path !== '') location.hash = hrefOf('tree', next.path);
    return true;
  }
  if (row === undefined || (key !== 'ArrowRight' && key !== 'ArrowLeft')) return false;
  if (key === 'ArrowRight' && !row.isOpen) toggle(model, row);
  else if (key === 'ArrowLeft' && row.isOpen && row.depth > 0) toggle(model, row);
  else if (key === 'ArrowLeft' && row.depth > 0) {
    location.hash = hrefOf('tree', parentPath(row.path));
  }
  return true;
}

function toggle(model: TreeModel, { path, isOpen, child }: Row): void {
  if (isOpen) model.close(path);
  else if (child !== undefined && child.numChildren > 0) model.open(path).catch(() => undefined);
}

interface TreeRowProps {
  readonly at: number;
  readonly row: Row;
  readonly model: TreeModel;
  readonly isSelected: boolean;
  readonly isLit: boolean;
}

function TreeRow({ at, row, model, isSelected, isLit }: TreeRowProps) {
  const { child, depth, isOpen, name, path } = row;
  const count = child?.numChildren ?? 0;
  const hasChildren = depth === 0 || count > 0;
  return (
    <div
      id={`row-${at}`}
      class={`row${isSelected ? ' selected' : ''}${isLit ? ' lit' : ''}`}
      style={{ top: `${at * ROW_HEIGHT}px`, paddingInlineStart: `${depth * 14}px` }}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? isOpen : undefined}
    >
      <button
        type="button"
        tabIndex={-1}
        class="arrow"
        aria-label={isOpen ? `close ${name}` : `open ${name}`}
        disabled={!hasChildren || depth === 0}
        onClick={() => toggle(model, row)}
      >
        {hasChildren ? (isOpen ? '▾' : '▸') : ''}
      </button>
      <a href={hrefOf('tree', path)} tabIndex={-1} title={safeLine(name)}>
        {safeLine(name)}
      </a>
      {count > 0 && <span class="count">{count}</span>}
      {child?.ephemeralOwner && <span class="tag">ephemeral</span>}
    </div>
  );
}
