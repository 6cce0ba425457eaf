// The begin of the single executable. It has the files of dist/bin as an asset, unpacks them once into
// a cache of the user, and runs the program that it is called as: zksh, zkops, or zkserver.
const { createHash } = require('node:crypto');
const { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { basename, dirname, join } = require('node:path');
const sea = require('node:sea');

const PROGRAMS = ['zksh', 'zkops', 'zkserver'];

/** The folder of the files; another version of them has another folder. */
function unpackedFolder() {
  const archive = Buffer.from(sea.getRawAsset('files'));
  // The index has a hash of all files, so the start does not read the whole archive.
  const indexLength = archive.readUInt32BE(0);
  const index = archive.subarray(4, 4 + indexLength);
  const version = createHash('sha256').update(index).digest('hex').slice(0, 16);
  for (const parent of cacheFolders()) {
    const folder = join(parent, version);
    try {
      if (isOwn(folder)) return folder;
      unpack(archive, JSON.parse(index.toString()), 4 + indexLength, folder);
      return folder;
    } catch {
      // Not writable, or of another user: the next place.
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'zksh-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  unpackInto(archive, JSON.parse(index.toString()), 4 + indexLength, folder);
  return folder;
}

function cacheFolders() {
  const { XDG_CACHE_HOME } = process.env;
  const home = homeOrNothing();
  const folders = [XDG_CACHE_HOME, home === undefined ? home : join(home, '.cache')];
  return folders.filter((path) => path?.startsWith('/')).map((path) => join(path, 'zksh'));
}

/** A user without an entry in /etc/passwd, as of a container or of DynamicUser, has no home. */
function homeOrNothing() {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** Code that another user could change must not run. */
function isOwn(folder) {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.uid === process.getuid() && (found.mode & 0o022) === 0) return true;
  throw new Error(`${folder}: of another user`);
}

/** Of two processes that unpack at once, the second finds the folder of the first. */
function unpack(archive, files, offset, folder) {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const staging = mkdtempSync(`${folder}.`);
  try {
    unpackInto(archive, files, offset, staging);
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!isOwn(folder)) throw error;
  }
}

function unpackInto(archive, files, offset, folder) {
  let at = offset;
  for (const { name, size } of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, archive.subarray(at, at + size), { mode: 0o600 });
    at += size;
  }
}

/** The program and its arguments; a server that starts another process names the script first. */
function choose(called, args) {
  const name = basename(called);
  if (PROGRAMS.includes(name)) {
    return args[0]?.endsWith(`/${name}.cjs`) ? [name, args.slice(1)] : [name, args];
  }
  const [first = ''] = args;
  const program = PROGRAMS.find((known) => first === known || first.endsWith(`/${known}.cjs`));
  if (program !== undefined) return [program, args.slice(1)];
  process.stderr.write(
    `${name}: expected zksh, zkops, or zkserver, as its name or first argument\n`,
  );
  process.exit(64);
}

const [program, args] = choose(process.argv0, process.argv.slice(2));
const script = join(unpackedFolder(), 'dist', 'bin', `${program}.cjs`);
process.argv = [process.execPath, script, ...args];
createRequire(script)(script);
