// A bar marks the cursor in a line.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Completion, complete } from '../../../../src/commands/zksh/completing/complete.js';
import { makeVocabulary } from '../../../../src/commands/zksh/completing/vocabulary.js';
import { parseLine } from '../../../../src/commands/zksh/language/parse-line.js';
import { allCommands } from '../../../../src/commands/zksh/running/registry.js';

const aliases = new Map([
  ['jg', 'get /a; json get'],
  ['j', 'json'],
]);
const vocabulary = makeVocabulary(await allCommands(), aliases);

const TREE: Readonly<Record<string, readonly string[]>> = {
  '/': ['zookeeper', 'app', 'apples', "it's", 'two words', 'two more', '漢字', 'q"t', 'a;b', '-x'],
  '/app': ['node-2', 'node-1', 'leaf'],
  '/app/leaf': [],
  '/apples': [],
  '/zookeeper': ['quota'],
  '/stars': ['a*b', 'a*c'],
};

async function listChildren(path: string): Promise<readonly string[]> {
  if (/[*]\/?|[{]/.test(path)) throw new Error(`Node does not exist: ${path}`);
  if (path === '/zookeeper/quota') throw new Error('Insufficient permission : /zookeeper/quota');
  return TREE[path] ?? [];
}

async function listFiles(folder: string): Promise<readonly string[]> {
  if (folder === './no/') throw new Error("ENOENT: no such file or directory, scandir './no/'");
  return folder === '.' ? ['value.bin', 'my file', 'folder/', '.hidden'] : ['inner.json'];
}

function completionOf(line: string, cwd = '/'): Promise<Completion> {
  const cursor = line.indexOf('|');
  return complete(line.replace('|', ''), cursor, { vocabulary, cwd, listChildren, listFiles });
}

async function completed(line: string, cwd = '/'): Promise<string> {
  const { from, to, text } = await completionOf(line, cwd);
  const plain = line.replace('|', '');
  return `${plain.slice(0, from)}${text}|${plain.slice(to)}`;
}

const CASES: readonly (readonly [before: string, after: string, cwd?: string])[] = [
  // commands and flags
  ['hel|', 'help |'],
  ['he| /a', 'help | /a'],
  ['get /a; vers|', 'get /a; version |'],
  ['create --con|', 'create --container |'],
  ['help vers|', 'help version |'],
  ['nonsense |', 'nonsense |'],
  // paths
  ['get /a|', 'get /a|'],
  ['get /ap|', 'get /app|'],
  ['get /appl|', 'get /apples |'],
  ['get /z|', 'get /zookeeper/|'],
  ['get /app/|', 'get /app/|'],
  ['get /app/n|', 'get /app/node-|'],
  ['get /app/l|', 'get /app/leaf |'],
  ['get /app/l| tail', 'get /app/leaf | tail'],
  ['create -e /app/l|', 'create -e /app/leaf |'],
  ['create -t 5 /app/l|', 'create -t 5 /app/leaf |'],
  ['acl add /app wo|', 'acl add /app world:anyone:|'],
  // subcommands, and their own flags
  ['jso|', 'json |'],
  ['json g|', 'json get |'],
  ['queue -p 1 pu|', 'queue -p 1 put |'],
  ['time queue t|', 'time queue take |'],
  ['json get /app/l|', 'json get /app/leaf |'],
  ['json get --|', 'json get --help |'],
  ['json get --cr|', 'json get --cr|'],
  ['json set --cr|', 'json set --create |'],
  ['json --cr|', 'json --cr|'],
  ['2pc vote /app db1 co|', '2pc vote /app db1 commit |'],
  ['help json s|', 'help json set |'],
  ['help json set g|', 'help json set g|'],
  ['jg /app/l|', 'jg /app/leaf |'],
  ['j s|', 'j set |'],
  // patterns, and names that look like one
  ['get /app/*|', 'get /app/*|'],
  ['get /app/n*|', 'get /app/n*|'],
  ['get /a*/n|', 'get /a*/node-|'],
  ['get /a*/l|', 'get /a*/leaf|'],
  ["get '/a'*/l|", 'get /a*/leaf|'],
  ["get /a*'*'/l|", "get /a*'*'/l|"],
  ['get /stars/|', "get '/stars/a*|"],
  ['get /stars/a*b|', "get '/stars/a*b' |"],
  // relative paths
  ['get l|', 'get leaf |', '/app'],
  ['get ../app|', 'get ../app|', '/app'],
  ['get ../appl|', 'get ../apples |', '/app'],
  ['get ..|', 'get ../|', '/app'],
  ['get ./l|', 'get ./leaf |', '/app'],
  // unusual names
  ['get /it|', 'get "/it\'s" |'],
  ['get /two|', "get '/two |"],
  ["get '/two w|", "get '/two words' |"],
  ['get "/two w|', "get '/two words' |"],
  ['get /two\\ w|', "get '/two words' |"],
  ['get /漢|', 'get /漢字 |'],
  ['get /q|', "get '/q\"t' |"],
  ['get "/appl|', 'get "/apples" |'],
  ['get "/z|', 'get "/zookeeper/|'],
  ['get -- -|', "get -- '-x' |"],
  // values
  ['setAcl / wor|', 'setAcl / world:anyone:|'],
  ['setAcl / world:anyone:r,dig|', 'setAcl / world:anyone:r,digest:|'],
  ['setAcl / world:anyone:|', 'setAcl / world:anyone:|'],
  ['setAcl / world:anyone:cd|', 'setAcl / world:anyone:cdrw|'],
  ['setAcl / digest:ann:hash:cdrwa,au|', 'setAcl / digest:ann:hash:cdrwa,auth::|'],
  ['setAcl / digest:ann:c|', 'setAcl / digest:ann:c|'],
  ['set /a some|', 'set /a some|'],
  ['set /a @v|', 'set /a @value.bin |'],
  ['set /a @my|', 'set /a @my\\ file |'],
  ['set /a @fol|', 'set /a @folder/|'],
  ['set /a @folder/|', 'set /a @folder/inner.json |'],
  ['set /a "@v|', 'set /a "@v|'],
  ['set /a value|', 'set /a value|'],
  ['get /app too many |', 'get /app too many |'],
];

test('TAB inserts the common prefix of all candidates', async () => {
  for (const [before, after, cwd] of CASES) assert.is(await completed(before, cwd), after, before);
});

test('a completed word parses back to its name', async () => {
  for (const name of TREE['/'] ?? []) {
    const line = await completed(`get /${quotedHead(name)}|`);
    const { statements, fault } = parseLine(line.replace('|', ''));
    if (fault?.isIncomplete === true) continue;
    assert.is(statements[0]?.tokens[1]?.text.replace(/\/$/, ''), `/${name}`, line);
  }
});

test('candidates are sorted names and unused flags', async () => {
  assert.equal((await completionOf('get /app/|')).candidates, ['leaf', 'node-1', 'node-2']);
  const flags = (await completionOf('create -e -|')).candidates;
  assert.ok(flags.includes('--container'));
  assert.not.ok(flags.includes('-e') || flags.includes('--ephemeral'));
  assert.equal((await completionOf('get -- -|')).candidates, ['-x'], 'after --, it is a name');
  assert.equal((await completionOf('get /nothing|')).candidates, []);
  assert.equal((await completionOf('queue |')).candidates, ['put', 'take', 'peek', 'ls']);
  assert.equal((await completionOf('queue put -|')).candidates, ['--priority', '--help', '-p']);
});

test('permissions of an ACL are listed, and files except hidden ones', async () => {
  const perms = (await completionOf('setAcl / world:anyone:|')).candidates;
  assert.equal(perms.slice(0, 3), ['cdrwa', 'cdrw', 'r']);
  assert.equal((await completionOf('set /a @|')).candidates, ['folder/', 'my file', 'value.bin']);
  assert.equal((await completionOf('set /a @.|')).candidates, ['.hidden']);
  assert.match((await completionOf('set /a @./no/|')).fault ?? '', /no such file/);
});

test('an unreadable znode gives an error text', async () => {
  const { candidates, fault } = await completionOf('get /zookeeper/quota/|');
  assert.equal(candidates, []);
  assert.match(fault ?? '', /Insufficient permission/);
});

/** A prefix that only one name has. */
function quotedHead(name: string): string {
  return name.replace(/[\\'";\s]/g, '\\$&');
}

test('an incomplete pattern is not an error', async () => {
  for (const line of ['get /a*/x|', 'ls {/app,/apples}/x*|', 'get /**/n|', 'get /[|']) {
    const { candidates, fault } = await completionOf(line);
    assert.equal({ candidates, fault }, { candidates: [], fault: undefined }, line);
  }
});

test('the matches of a pattern are shown', async () => {
  const { candidates } = await completionOf('delete {leaf,node-?,none*}|', '/app');
  assert.equal(candidates, ['/app/leaf', '/app/node-1', '/app/node-2']);
  assert.equal((await completionOf('get /*p*|')).candidates, ['/app', '/apples']);
});

test.run();
