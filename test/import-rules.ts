/**
 * The order of the house: a file may import its own folder and every folder before it. A folder
 * covers what no longer name in the list covers, so "src/server/node/log" is not "src/server".
 * test/tidy.test.ts enforces it, type imports included.
 */
export const ORDER: readonly (readonly [folder: string, parts: string])[] = [
  ['src', 'jute base certificates protocol files kerberos kerberos/node fourlw/base fourlw'],
  ['src/server', 'config limits tree session metrics persistence prep events.ts state'],
  ['src/server', 'effects.ts pipeline connection server.ts standalone.ts'],
  ['src/server/quorum', 'membership wire election peer leading learning ../admin .'],
  ['src/server', 'node/log node/storage node/sockets node/tls node/ports node/driver node/admin'],
  ['src/server', 'node/boot main.ts'],
  ['src/client', 'base session calls native . retry hosts znodes index.ts'],
  ['src', 'compat recipes/base recipes/locks recipes index.ts'],
  ['src/commands', 'program terminal zksh/language znodes machine connecting'],
  ['src/commands', 'ensemble ensemble/verdict results data-files trees zkserver zkcli'],
  ['src/commands/zkops', 'calls files verbs probes exporter s3 backup'],
  ['src/commands/zksh', 'session engine paths changes watching verbs running completing'],
  ['src', 'console/api console/page console commands/zkops commands/zksh'],
  ['src/shell', 'terminal line browser top ensemble .'],
  ['src', 'bin'],
];

interface Wall {
  /** Folders or files. */
  readonly from: readonly string[];
  /** What they must not import, although it stands before them. */
  readonly not: readonly string[];
  readonly except: readonly string[];
  readonly why: string;
}

/** Imports that the order allows, and that are forbidden. */
export const WALLS: readonly Wall[] = [
  {
    from: ['src/client', 'src/compat', 'src/recipes', 'src/commands', 'src/console', 'src/shell'],
    not: ['src/server'],
    except: [
      'src/server/config',
      'src/server/main.ts',
      'src/server/node/storage/open-files.ts',
      'src/server/node/storage/load-snapshot.ts',
      'src/server/persistence/replay.ts',
      'src/server/quorum/membership/quorum-config.ts',
    ],
    why: 'tools ask a server by its protocols, and share only its files and its configuration',
  },
  {
    from: ['src'],
    not: ['src/server/tree'],
    except: [
      'src/server/tree/data-tree.ts',
      'src/server/tree/znode.ts',
      'src/server/tree/node-stat.ts',
      'src/server/tree/quotas.ts',
      'src/server/tree/tree-audit.ts',
      'src/server/tree/tree-memory.ts',
    ],
    why: 'only the tree knows its tables and the slots of znodes',
  },
  {
    from: ['src/console/page'],
    not: ['src'],
    except: [
      'src/protocol',
      'src/commands/zksh/language',
      'src/commands/results/line-diff.ts',
      'src/commands/results/merge-lines.ts',
      'src/console/api',
    ],
    why: 'it runs in browsers',
  },
];

/** Folders without modules of Node, time, randomness, or waiting: they decide, others act. */
export const PURE: readonly string[] = [
  'src/base',
  'src/jute',
  'src/protocol',
  'src/files',
  'src/fourlw',
  'src/server',
  'src/commands/zksh/language',
  'src/console/api',
];
export const NOT_PURE: readonly string[] = [
  'src/base/load-on-demand.ts',
  'src/base/lookup-in-turn.ts',
  'src/files/uncompressed.ts',
  'src/fourlw/base/java-date.ts',
  'src/server/node',
  'src/server/main.ts',
];

/** The places that may import a package, so that it can be replaced there. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  zookeeper: ['src/client/native', 'test'],
  'cli-table3': ['src/commands/terminal/framed-table.ts'],
  chalk: ['src/commands/results/paints.ts', 'src/shell/terminal/theme.ts'],
  execa: ['src/commands/terminal/pager.ts', 'src/commands/zksh', 'test', 'bench'],
  ink: ['src/shell', 'test'],
  react: ['src/shell', 'test'],
  uvu: ['test'],
  '@isaacs/nonrecursive-glob-match': ['src/commands/znodes/path-glob.ts'],
  'get-east-asian-width': ['src/commands/terminal/text-width.ts'],
  diff: ['src/commands/results/line-diff.ts'],
  yaml: ['src/commands/trees/yaml-dump.ts', 'test'],
  aws4fetch: ['src/commands/zkops/s3/object-store.ts'],
  pino: ['src/server/node/log'],
  'prom-client': ['src/server/node/admin'],
  preact: ['src/console/page'],
  uplot: ['src/console/page'],
};
