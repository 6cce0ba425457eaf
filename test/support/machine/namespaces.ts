import { spawnSync } from 'node:child_process';
import { test } from 'uvu';

/**
 * Network namespaces that act as separate machines. Each has one interface to the others and one
 * to the test. Needs `ip` and the right to use it. The names contain the id of this process.
 */
export interface Namespace {
  /** The prefix of a command that runs in it. */
  readonly prefix: readonly string[];
  /** Its address for the other namespaces. */
  readonly address: string;
  /** Its address for the test, whether it is cut off from the others or not. */
  readonly clientAddress: string;
  /** Silently drops the packets that it sends or that are sent to it. */
  cut(): void;
  heal(): void;
}

export interface Namespaces {
  readonly all: readonly Namespace[];
  remove(): void;
}

function ip(...args: string[]): void {
  const { status, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}

export function makeNamespaces(count: number): Namespaces {
  const { pid } = process;
  const undo: (() => void)[] = [];
  const remove = (): void => {
    for (const step of undo.splice(0).reverse()) step();
  };
  // From the range reserved for tests of networks (RFC 2544).
  const network = `198.${18 + (pid & 1)}.${(pid >> 1) & 255}`;
  const bridge = (name: string): void => {
    ip('link', 'add', name, 'type', 'bridge');
    undo.push(() => ip('link', 'del', name));
    ip('link', 'set', name, 'up');
  };
  /** Connects the bridge to the namespace. Returns the bridge's end. */
  const plug = (label: string, at: number, space: string, address: string): string => {
    const outer = `zk${pid}${label}${at}`;
    ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', label, 'netns', space);
    ip('link', 'set', outer, 'master', `zk${pid}${label}`, 'up');
    ip('-n', space, 'address', 'add', `${address}/25`, 'dev', label);
    ip('-n', space, 'link', 'set', label, 'up');
    return outer;
  };
  try {
    bridge(`zk${pid}q`);
    bridge(`zk${pid}c`);
    ip('address', 'add', `${network}.254/25`, 'dev', `zk${pid}c`);
    const all = Array.from({ length: count }, (_, i): Namespace => {
      const space = `zksh-${pid}-${i + 1}`;
      ip('netns', 'add', space);
      undo.push(() => ip('netns', 'del', space));
      ip('-n', space, 'link', 'set', 'lo', 'up');
      const address = `${network}.${i + 1}`;
      const clientAddress = `${network}.${129 + i}`;
      const quorumEnd = plug('q', i + 1, space, address);
      plug('c', i + 1, space, clientAddress);
      return {
        prefix: ['ip', 'netns', 'exec', space],
        address,
        clientAddress,
        cut: () => ip('link', 'set', quorumEnd, 'down'),
        heal: () => ip('link', 'set', quorumEnd, 'up'),
      };
    });
    return { all, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function missing(): string | undefined {
  try {
    makeNamespaces(1).remove();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const lacking = missing();
if (lacking !== undefined) console.log(`skipped: tests in network namespaces: ${lacking}`);

/** Registers a test that needs network namespaces. Without them, the test counts as skipped. */
export const namespaceTest = lacking === undefined ? test : test.skip;
