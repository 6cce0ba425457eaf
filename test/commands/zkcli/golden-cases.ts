/** One run of `zksh --zkcli`; missing fields are empty, or 0. */
export interface Case {
  readonly words: readonly string[];
  readonly out?: string;
  readonly err?: string;
  readonly code?: number;
}

const HEX = `         +-------------------------------------------------+
         |  0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f |
+--------+-------------------------------------------------+----------------+
|00000000| 68 65 6c 6c 6f                                  |hello           |
+--------+-------------------------------------------------+----------------+
`;
const STAT = `cZxid = Z
ctime = T
mZxid = Z
mtime = T
pZxid = Z
cversion = 0
dataVersion = 0
aclVersion = 0
ephemeralOwner = 0x0
dataLength = 5
numChildren = 0
`;
const SET_USAGE = `set path data [-s] [-v version] [-b]
 -b         Supply data in base64 format
 -s         Print znode stats additionally
 -v <arg>   Set with an expected version

`;
const GET_USAGE = `get [-s] [-w] [-b] [-x] path
 -b   Output data in base64 format
 -s   Print znode stats additionally
 -w   Watch for changes on the znode
 -x   Output data in hexdump format

`;
const CLOSED = '\nWATCHER::\n\nWatchedEvent state:Closed type:None path:null\n';

/** In order: each finds what those before it left. */
export const CASES: readonly Case[] = [
  { words: ['create', '/a', 'hello'], err: 'Created /a\n' },
  { words: ['create', '/n'], err: 'Created /n\n' },
  { words: ['create', '-s', '/n/seq-', 'x'], err: 'Created /n/seq-0000000000\n' },
  { words: ['create', '/a', 'hello'], err: 'Node already exists: /a\n', code: 1 },
  { words: ['create', '/x/y', 'z'], err: 'Node does not exist: /x/y\n', code: 1 },
  { words: ['get', '/a'], out: 'hello\n' },
  { words: ['get', '/n'], out: 'null\n' },
  // No word is a pattern here.
  { words: ['get', '/n/*'], err: 'Node does not exist: /n/*\n', code: 1 },
  { words: ['create', '/{n,a}', 'x'], err: 'Created /{n,a}\n' },
  { words: ['delete', '/{n,a}'] },
  { words: ['create', '/empty', ''], err: 'Created /empty\n' },
  { words: ['get', '/empty'], out: '\n' },
  { words: ['get', '-s', '/a'], out: `hello\n${STAT}` },
  { words: ['stat', '/a'], out: STAT },
  { words: ['ls', '-s', '/a'], out: `[]\n${STAT}` },
  { words: ['get', '-b', '/a'], out: 'aGVsbG8=\n' },
  { words: ['get', '-x', '/a'], out: HEX },
  { words: ['ls', '/'], out: '[a, empty, n, zookeeper]\n' },
  { words: ['ls', '-R', '/n'], out: '/n\n/n/seq-0000000000\n' },
  { words: ['ls'], err: 'ls [-s] [-w] [-R] path\n', code: 1 },
  { words: ['get'], err: GET_USAGE, code: 1 },
  { words: ['set', '/a'], err: SET_USAGE, code: 1 },
  { words: ['getAcl', '/a'], out: "'world,'anyone\n: cdrwa\n" },
  { words: ['setquota', '-N', '5', '/n'] },
  {
    words: ['listquota', '/n'],
    out: 'Output quota for /n count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=5\nOutput stat for /n count=2,bytes=1\n',
    err: 'absolute path is /zookeeper/quota/n/zookeeper_limits\n',
  },
  { words: ['delquota', '/a'], out: 'Quota does not exist for /a\n' },
  {
    words: ['listquota', '/a'],
    err: 'absolute path is /zookeeper/quota/a/zookeeper_limits\nquota for /a does not exist.\n',
  },
  { words: ['setquota', '-n', '0', '/a'], err: 'the num quota must be greater than zero\n' },
  { words: ['get', '/nope'], err: 'Node does not exist: /nope\n', code: 1 },
  { words: ['stat', '/nope'], err: 'Node does not exist: /nope\n', code: 1 },
  { words: ['delete', '/nope'], err: 'Node does not exist: /nope\n', code: 1 },
  { words: ['deleteall', '/nope'], err: 'Node does not exist: /nope\n', code: 1 },
  { words: ['delete', '/n'], err: 'Node not empty: /n\n', code: 1 },
  { words: ['set', '-v', '99', '/a', 'x'], err: 'version No is not valid : /a\n', code: 1 },
  { words: ['set', '/a', 'two words'] },
  { words: ['get', '/a'], out: 'two words\n' },
  { words: ['create', '/mine', 'x', 'world:anyone:a'], err: 'Created /mine\n' },
  { words: ['get', '/mine'], err: 'Insufficient permission : /mine\n', code: 1 },
  { words: ['create', 'a', 'b'], err: 'Path must start with / character\n', code: 1 },
  { words: ['sync', '/'], out: 'Sync is OK\n' },
  { words: ['getEphemerals'], out: '[]\n' },
  { words: ['whoami'], out: 'Auth scheme: User\nip: 127.0.0.1\n' },
  { words: ['addauth', 'digest', 'u:p'] },
  {
    words: ['reconfig', '-add', '9=localhost:1:2'],
    err: 'KeeperErrorCode = Reconfig is disabled\n',
    code: 1,
  },
  {
    words: ['removewatches', '/a'],
    err: 'KeeperErrorCode = No such watcher for /a\n',
    code: 1,
  },
  {
    words: ['setAcl', '/a', 'bogus'],
    err: 'bogus does not have the form scheme:id:perm\nAcl is not valid : null\n',
    code: 1,
  },
  { words: ['printwatches'], out: 'printwatches is on\n' },
  { words: ['history'], out: '0 - null\n' },
  { words: ['config'], out: '\n' },
  { words: ['close'], out: CLOSED },
  { words: ['quit'], out: CLOSED },
  { words: ['exit'], out: CLOSED },
  {
    words: ['create', '-t', '0', '/t', 'x'],
    err: 'ttl must be positive and cannot be larger than: 1099511627775\n',
    code: 1,
  },
  {
    words: ['create', '-e', '-c', '/t', 'x'],
    err: '-c cannot be combined with -s or -e. Containers cannot be ephemeral or sequential.\n',
    code: 1,
  },
  // The old forms of a watch are taken and told.
  {
    words: ['get', '/a', 'w'],
    out: 'two words\n',
    err: "'get path [watch]' has been deprecated. Please use 'get [-s] [-w] path' instead.\n",
  },
  {
    words: ['ls', '/a', 'w'],
    out: '[]\n',
    err: "'ls path [watch]' has been deprecated. Please use 'ls [-w] path' instead.\n",
  },
  // A value with a dash is an option unless it follows --.
  {
    words: ['set', '/a', '-q'],
    err: 'org.apache.commons.cli.UnrecognizedOptionException: Unrecognized option: -q\n',
    code: 1,
  },
  { words: ['set', '/a', '--', '-q'] },
  { words: ['get', '/a'], out: '-q\n' },
  { words: ['set', '-b', '/a', 'aGVsbG8='] },
  { words: ['get', '/a'], out: 'hello\n' },
];

/** Where old scripts would lose data, or the shell its life: refused, or told in one line. */
export const DIFFERENT: readonly (Case & { readonly there: string })[] = [
  {
    there: 'the ACL is set to no permission at all, and the exit code is 0',
    words: ['setAcl', '/a', 'world:anyone:q'],
    err: 'Unknown perm type: q\n',
    code: 1,
  },
  {
    there: 'the bad entry is dropped and the znode made with the rest',
    words: ['create', '/p', 'd', 'world:anyone:cdrwa,bogus'],
    err: 'bogus does not have the form scheme:id:perm\nAcl is not valid : null\n',
    code: 1,
  },
  {
    there: 'the version is not looked at, and the znode is deleted',
    words: ['delete', '/a', '0'],
    err: "'delete path [version]' has been deprecated. Please use 'delete [-v version] path' instead.\n",
    code: 1,
  },
  {
    there: 'the first word is stored, the others are dropped',
    words: ['set', '/a', 'two', 'words'],
    err: `too many words for set: nothing was done (quote a value of several words)\n${SET_USAGE}`,
    code: 1,
  },
  {
    there: 'a stack trace of ten lines, and the end of an interactive shell',
    words: ['set', '-v', 'abc', '/a', 'x'],
    err: 'java.lang.NumberFormatException: For input string: "abc"\n',
    code: 1,
  },
  {
    there: 'the same',
    words: ['set', '-b', '/a', '!!!'],
    err: 'java.lang.IllegalArgumentException: "!!!" is not base64\n',
    code: 1,
  },
  {
    there: 'everything is deleted that can be',
    words: ['deleteall', '/'],
    err: "deleteall never deletes /, which holds the server's own znodes\n",
    code: 1,
  },
];
