// Names of znodes are data: whatever they contain, a line affects nothing but what its words name.
// Every verb of the registry gets every name, so a new verb is covered.
import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/zookeeper.js';
import type { ArgumentSpec } from '../../../../src/commands/machine/declaration.js';
import { complete } from '../../../../src/commands/zksh/completing/complete.js';
import { makeVocabulary } from '../../../../src/commands/zksh/completing/vocabulary.js';
import type { Command } from '../../../../src/commands/zksh/engine/command.js';
import { parseLine } from '../../../../src/commands/zksh/language/parse-line.js';
import { quoteWord } from '../../../../src/commands/zksh/language/quote-word.js';
import { allCommands } from '../../../../src/commands/zksh/running/registry.js';
import { startServer } from '../../../../src/server/main.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeServedShell, type ServedShell } from '../../../support/terminal/served-shell.js';
import { makeShellWorld } from '../../../support/terminal/shell-world.js';

/** Each would touch the file canary or delete /victim if something parsed it. */
const ACTIONS = [
  '| touch canary #',
  ';deleteall --yes victim;',
  '$(touch canary)',
  '`touch canary`',
];
const NAMES = [
  ...ACTIONS.flatMap((action) => [`n ${action}`, `'${action}'`, `"${action}"`]),
  ...['--yes', '-y', '--to=canary', '@canary', '-', '#', '!0', '~', '%s', '&& touch canary'],
  ...['*', '{victim,}', '[a-z]*', '**', '{}', '\\', 'a\\ b', '$IFS', ' ', ' n '],
  ...['\\u{76}ictim', '\u202evictim', '\u200b', 'victim\u00a0', '値', '.data', 'a=b', '<canary>'],
];
/** A server that lies can send these, too. */
const FORGED = [
  'n\ndeleteall --yes a\n',
  '\n| touch canary #',
  '\x1b]0;t\x07',
  "'\r\n;delete a\n'",
];

/** {} as users write it. */
const FORMS = ['{}', "'{}'", '"{}"', "''{}", '{}/*'];

const verbs = (await allCommands()).flatMap((verb): readonly Command[] =>
  verb.subcommands === undefined ? [verb] : verb.subcommands,
);

const vocabulary = makeVocabulary(await allCommands());

/** A call with the word wherever the verb takes words. */
function callOf({ name, options, args }: Command, word: string, target: string): string {
  const words = [name];
  if ('yes' in options) words.push('--yes');
  for (const option of ['wait', 'timeout', 'count']) {
    const spec = options[option];
    if (spec?.kind !== undefined) words.push(`--${option} ${spec.min ?? 1}`);
  }
  for (const spec of Object.values(args)) words.push(wordFor(spec, word, target));
  return words.join(' ');
}

function wordFor(spec: ArgumentSpec, word: string, target: string): string {
  if (spec.choices !== undefined) return spec.choices[0] ?? '';
  switch (spec.kind) {
    case 'acl':
      return 'world:anyone:cdrwa';
    case 'integer':
    case 'duration':
      return String(spec.min ?? 0);
    case 'target':
      return target;
    case 'word':
      return `ls ${word}`;
    case 'file':
      return `out${word}`;
    default:
      return spec.isProgram === true ? `-- true ${word}` : word;
  }
}

/** A shell in an empty folder. /victim, /a, and local files must stay as they are. */
async function withVictim(
  use: (
    shell: () => ServedShell,
    check: (line: string) => Promise<void>,
    target: string,
  ) => Promise<void>,
): Promise<void> {
  const folder = makeTempDir('hostile-names');
  const before = process.cwd();
  const server = await startServer();
  const client = createClient({ connectString: server.connectString });
  const shells: ServedShell[] = [];
  const victim = async () => {
    const stats = await Promise.all(
      ['/victim', '/victim/child'].map((path) => client.exists(path)),
    );
    return JSON.stringify(stats, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  };
  process.env['VISUAL'] = 'true';
  try {
    process.chdir(folder.path);
    await client.connect();
    for (const path of ['/victim', '/victim/child', '/area']) await client.create(path, 'x');
    for (const name of NAMES) await client.create(`/area/${name}`, '{}');
    const unharmed = await victim();
    const makeShell = () => {
      const options = { isInteractive: true, isPipeAllowed: true, timeoutMs: 5000 };
      const shell = makeServedShell(server.connectString, 'builtin', options);
      shells.push(shell);
      return shell;
    };
    await use(
      makeShell,
      async (line) => {
        assert.is(await victim(), unharmed, line);
        const files = readdirSync('.').filter((name) => !name.startsWith('out'));
        assert.equal(files, [], line);
      },
      server.connectString,
    );
  } finally {
    for (const shell of shells) await shell.close();
    await client.close();
    await server.close();
    process.chdir(before);
    folder.remove();
  }
}

test('find --exec runs every verb on every name, and nothing else', async () => {
  await withVictim(async (makeShell, check, target) => {
    for (const verb of verbs) {
      const shell = makeShell();
      for (const form of FORMS) {
        const call = quoteWord(callOf(verb, form, target));
        const line = `find --yes --keep-going --depth 1 --exec ${call} /area`;
        await shell.fully(line);
        await check(line);
      }
      await shell.close();
    }
  });
});

test('a quoted word is one word for every verb, absolute, relative, and in an alias', async () => {
  await withVictim(async (makeShell, check, target) => {
    for (const verb of verbs) {
      const shell = makeShell();
      for (const [at, name] of NAMES.entries()) {
        const word = quoteWord(at % 2 === 0 ? `/area/${name}` : name);
        const line = callOf(verb, word, target);
        await shell.fully(`cd ${at % 2 === 0 ? '/' : '/area'}`);
        await shell.fully(
          at % 3 === 0
            ? `alias it ${quoteWord(verb.name)}; it ${line.slice(verb.name.length)}`
            : line,
        );
        await check(line);
      }
      await shell.close();
    }
  });
});

/** The word that TAB makes of a path, at this place of a line. */
async function completed({ name: verb }: Command, begun: string, name: string, cwd: string) {
  const listChildren = async (path: string) => (path === '/area' ? [name] : []);
  const context = { vocabulary, cwd, listChildren, listFiles: async () => [] };
  const typed = `${verb} ${begun}`;
  const { text } = await complete(typed, typed.length, context);
  const { statements, fault } = parseLine(`${verb} ${text}`);
  const token = statements[0]?.tokens.at(-1);
  assert.equal([fault, statements.length, token?.pattern], [undefined, 1, undefined], text);
  return { text, word: token?.text ?? '', isQuoted: token?.isQuoted === true };
}

test('completion makes one word of each name, and never an option or a local file', async () => {
  for (const verb of verbs) {
    const [first] = Object.values(verb.args);
    if (first?.kind !== 'path' && first?.kind !== 'place') continue;
    for (const name of [...NAMES, ...FORGED]) {
      const whole = await completed(verb, '/area/', name, '/');
      assert.is(whole.word, `/area/${name}`, whole.text);
      const { text, word, isQuoted } = await completed(verb, '', name, '/area');
      assert.ok([name, `./${name}`].includes(word), text);
      assert.not.ok(!isQuoted && /^-./.test(word), text);
      assert.not.ok(first.kind === 'place' && word.startsWith('@'), text);
    }
  }
});

test('a line of the history runs again as it was', async () => {
  await withVictim(async (makeShell, check) => {
    const shell = makeShell();
    for (const name of NAMES) await shell.fully(`get ${quoteWord(`/area/${name}`)}`);
    for (const at of NAMES.keys()) await shell.fully(`redo ${at}`);
    await shell.fully('!!');
    await check('redo');
  });
});

test('names that only a lying server can send are one word, too', async () => {
  for (const form of FORMS) {
    const world = makeShellWorld({ isPipeAllowed: true });
    world.client.getChildren = async (path) => {
      const { stat } = await Object.getPrototypeOf(world.client).getChildren.call(
        world.client,
        '/a',
      );
      return { children: path === '/' ? ['a', ...FORGED] : [], stat };
    };
    await world.runFully(`find -yk --exec "get ${form.replaceAll('"', '\\"')}" /`);
    assert.ok(await world.client.exists('/a'), form);
  }
  assert.not.ok(readdirSync('.').includes('canary'));
});

test('a hint names the znode as a word', async () => {
  for (const name of NAMES.filter((one) => !one.includes('\u200b'))) {
    const world = makeShellWorld({ isInteractive: true });
    const path = `/${name}`;
    await world.run(`create ${quoteWord(path)}; watch ${quoteWord(path)}`);
    const { error } = await world.runFully(`watch ${quoteWord(path)}`);
    const [, line = ''] = /^run (.*) to stop the watch$/.exec(error?.hint ?? '') ?? [];
    assert.equal(
      parseLine(line).statements.map(({ tokens }) => tokens.map(({ text }) => text)),
      [['removewatches', path]],
      error?.hint,
    );
    await world.run(`removewatches ${quoteWord(path)}`);
  }
});

test('{} is refused where a path would be parsed', async () => {
  const world = makeShellWorld({ isPipeAllowed: true });
  for (const command of [
    'grep {} /',
    'find --name {} /',
    "find / --exec 'get {}'",
    'txn "delete {}"',
    "alias x 'get {}'",
    "lock /l -- sh -c 'echo {}'",
    'watch --count 1 {} -- echo --file={}',
    'get /a | cat {}',
    'get {} --to {}',
    'get {} --to={}',
    'set /a @{}',
    'restore {} /b',
    'setAcl /a {}',
    '{} /a',
    'json {} /a',
  ]) {
    const { error } = await world.runFully(`find --yes --exec ${quoteWord(command)} /`);
    assert.match(error?.sentence ?? '', /^find: --exec: \{\} is not possible /, command);
    assert.equal(
      world.client.calls.filter((call) => call !== 'close'),
      [],
      command,
    );
  }
});

test.run();
