/** One stream of events for the members and for one subtree. */
import { useEffect, useState } from 'preact/hooks';
import type { LiveEvent } from '../api/shapes.js';
import { urlOf } from './api.js';

const MAX_SEEN = 500;
const RETRY_MS = 1000;

export interface Live {
  /** Number of polls of the members. */
  readonly polls: number;
  /** Number of possible losses of events: each start, reconnect, and overflow. */
  readonly gaps: number;
  readonly isConnected: boolean;
  /** Since the page opened, newest first. */
  readonly seen: readonly LiveEvent[];
  /** Only the last message. */
  readonly latest: readonly LiveEvent[];
}

const NOTHING: Live = { polls: 0, gaps: 0, isConnected: false, seen: [], latest: [] };

export function useLive(path: string | undefined): Live {
  const [live, setLive] = useState(NOTHING);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer = 0;
    const source = new EventSource(urlOf('/events', { path }));
    const change = (next: (before: Live) => Partial<Live>) =>
      setLive((before) => ({ ...before, ...next(before) }));
    source.addEventListener('poll', () => change(({ polls }) => ({ polls: polls + 1 })));
    for (const name of ['open', 'gap']) {
      source.addEventListener(name, () =>
        change(({ gaps }) => ({ gaps: gaps + 1, isConnected: true })),
      );
    }
    source.addEventListener('znodes', ({ data }: MessageEvent<string>) => {
      const { events, dropped }: { events: LiveEvent[]; dropped: number } = JSON.parse(data);
      change(({ seen, gaps }) => ({
        seen: [...events.toReversed(), ...seen].slice(0, MAX_SEEN),
        latest: events,
        gaps: dropped > 0 ? gaps + 1 : gaps,
      }));
    });
    source.addEventListener('error', () => {
      change(() => ({ isConnected: false }));
      // A browser reconnects by itself, but not after a refusal, for example without a quorum.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(() => setTurn((before) => before + 1), RETRY_MS);
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [path, turn]);
  return live;
}
