import { EventEmitter } from 'node:events';
import { toClientPath } from '../base/chroot.js';
import type { ClientEvents, Watcher, ZooKeeperClient } from '../base/client.js';
import { emitToEach } from '../base/report.js';
import { checkListener } from './arguments.js';

interface ViewParts {
  /** The root of the view, as a path of `client`. */
  readonly path: string;
  /** The same, as a path of the server; "" for its root. */
  readonly chroot: string;
  /** The function that `client` registers for a watcher. */
  readonly toOwn: (watcher: Watcher) => Watcher;
}

/**
 * A client of the same session whose paths are below a chroot. It inherits everything from `client`
 * but its chroot, its watchers, the event 'watch', and close(): so each request, with the paths of
 * its result and its error, is made as by a client with that chroot.
 */
export function viewOf<C extends ZooKeeperClient>(
  client: C,
  { path, chroot, toOwn }: ViewParts,
): C {
  const root = path === '/' ? '' : path;
  const events = new EventEmitter();
  events.setMaxListeners(0);
  // The same function again for a watcher, so that removeWatches finds it.
  const known = new WeakMap<Watcher, Watcher>();
  const told = (watcher: Watcher): Watcher => {
    const own: Watcher =
      known.get(watcher) ??
      ((event) => watcher({ ...event, path: toClientPath(root, event.path) }));
    known.set(watcher, own);
    return toOwn(own);
  };
  const listen =
    (how: 'on' | 'once' | 'off') =>
    (event: keyof ClientEvents, listener: (...args: never[]) => void): C => {
      checkListener(event, listener);
      if (event === 'watch') events[how](event, listener as () => void);
      else client[how](event, listener as () => void);
      return view;
    };
  const own = {
    chroot,
    toOwn: told,
    defaultWatcher: (event: ClientEvents['watch'][0]) => emitToEach(events, 'watch', event),
    updateServers: (connectString: string) => client.updateServers(connectString),
    close: async () => undefined,
    on: listen('on'),
    addListener: listen('on'),
    once: listen('once'),
    off: listen('off'),
    removeListener: listen('off'),
  };
  const view: C = Object.create(
    client,
    Object.fromEntries(
      Object.entries(own).map(([name, value]) => [
        name,
        { value, writable: true, configurable: true },
      ]),
    ),
  );
  return view;
}
