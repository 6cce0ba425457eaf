// React's interface, small enough for the page.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { About, Ensemble } from '../api/shapes.js';
import { ask } from './api.js';
import { ChangesView } from './changes-view.js';
import { EnsembleView } from './ensemble-view.js';
import { hrefOf } from './href.js';
import { useLive } from './live.js';
import { MemberDetail } from './member-detail.js';
import { Fault, Level, useLoaded } from './parts.js';
import { SearchView } from './search-view.js';
import { TreeView } from './tree-view.js';

interface Place {
  readonly view: string;
  readonly subject: string;
}

function placeNow(): Place {
  const [, view = 'ensemble', subject = ''] = location.hash.split('/');
  try {
    return { view, subject: decodeURIComponent(subject) };
  } catch {
    return { view, subject: '' };
  }
}

function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const onChange = () => setPlace(placeNow());
    addEventListener('hashchange', onChange);
    // It may have changed since the first rendering.
    onChange();
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return place;
}

function ThemeButton() {
  const [theme, setTheme] = useState(() => localStorage.getItem('theme') ?? 'light dark');
  useEffect(() => {
    document.documentElement.style.colorScheme = theme;
    localStorage.setItem('theme', theme);
  }, [theme]);
  const next = theme === 'light dark' ? 'dark' : theme === 'dark' ? 'light' : 'light dark';
  const name = theme === 'light dark' ? 'auto' : theme;
  return (
    <button type="button" onClick={() => setTheme(next)} aria-label={`colors: ${name}`}>
      {name}
    </button>
  );
}

/** The watched subtree: that of the top-level znode, or the whole tree on demand. */
function scopeOf({ view, subject }: Place, isWholeTree: boolean): string | undefined {
  if (view !== 'tree') return undefined;
  if (isWholeTree) return '/';
  const [, top = ''] = subject.split('/');
  return top === '' ? undefined : `/${top}`;
}

function Console() {
  const place = usePlace();
  const [isWholeTree, setWholeTree] = useState(false);
  const scope = scopeOf(place, isWholeTree);
  const live = useLive(scope);
  const about = useLoaded(() => ask<About>(''), []);
  const ensemble = useLoaded(() => ask<Ensemble>('/ensemble'), [live.polls, live.gaps]);
  const { value } = ensemble;
  const tab = (view: string, title: string, subject = '') => (
    <a href={hrefOf(view, subject)} aria-current={place.view === view ? 'page' : undefined}>
      {title}
    </a>
  );
  const level = value?.level;
  useEffect(() => {
    document.title = level === undefined ? 'zkops console' : `${level}: zkops console`;
  }, [level]);
  return (
    <>
      <header>
        <h1>zkops console</h1>
        <nav aria-label="views">
          {tab('ensemble', 'Ensemble')}
          {tab('tree', 'Tree', '/')}
          {tab('search', 'Search', '/')}
          {about.value?.allowWrites === true && tab('changes', 'Undo')}
        </nav>
        <span class="space" />
        {value && <Level level={value.level} />}
        {!live.isConnected && <span role="status">connecting …</span>}
        <span>{about.value?.allowWrites === true ? 'changes allowed' : 'read-only'}</span>
        {about.value?.user && <span>{about.value.user}</span>}
        <ThemeButton />
      </header>
      <main>
        <Fault error={about.error ?? ensemble.error} />
        {place.view === 'ensemble' && value && about.value && (
          <EnsembleView ensemble={value} about={about.value} polls={live.polls} />
        )}
        {place.view === 'member' && value && about.value && (
          <MemberDetail server={place.subject} ensemble={value} about={about.value} />
        )}
        {place.view === 'tree' && about.value && (
          <TreeView
            selected={place.subject === '' ? '/' : place.subject}
            about={about.value}
            live={live}
            scope={scope}
            isWholeTree={isWholeTree}
            setWholeTree={setWholeTree}
          />
        )}
        {place.view === 'changes' && <ChangesView />}
        {place.view === 'search' && about.value && (
          <SearchView root={place.subject === '' ? '/' : place.subject} about={about.value} />
        )}
      </main>
    </>
  );
}

const root = document.getElementById('page');
if (root !== null) render(<Console />, root);
