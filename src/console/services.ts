import type { About } from './api/shapes.js';
import type { EnsemblePoller } from './ensemble-poller.js';
import type { Listings } from './listings.js';
import type { LiveEvents } from './live-events.js';
import type { ConsoleSession } from './session.js';

export interface Services {
  readonly about: Omit<About, 'user'>;
  readonly session: ConsoleSession;
  readonly poller: EnsemblePoller;
  readonly live: LiveEvents;
  readonly listings: Listings;
  /** Null without logins. */
  readonly userOf: (request: object) => string | null;
  readonly openApi: () => unknown;
}
