// The begin of the single executable. It has the files of dist/bin as an asset, unpacks them once into
// a cache of the user, and runs the program that it is called as: zksh, zkops, or zkserver.
const { createHash } = require('node:crypto');
const { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { homedir, tmpdir } = require('node:os');
const { basename, dirname, join } = require('node:path');
const sea = require('node:sea');

const PROGRAMS = ['zksh', 'zkops', 'zkserver'];
/** In memory, so it has space when the disks are full, and an operator needs zkops. */
const MEMORY = '/dev/shm';

/** The folder of the files; another version of them has another folder. */
function unpackedFolder(program) {
  const archive = Buffer.from(sea.getRawAsset('files'));
  // The index has a hash of all files, so the start does not read the whole archive.
  const offset = 4 + archive.readUInt32BE(0);
  const index = archive.subarray(4, offset);
  const version = createHash('sha256').update(index).digest('hex').slice(0, 16);
  const files = JSON.parse(index.toString());
  for (const parent of cacheFolders()) {
    const folder = join(parent, version);
    try {
      if (!isWhole(folder, files)) unpack(archive, files, offset, folder);
      return folder;
    } catch {
      // Not writable, full, or of another user: the next place.
    }
  }
  const failures = [];
  for (const parent of [tmpdir(), MEMORY]) {
    try {
      const folder = mkdtempSync(join(parent, 'zksh-'));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      unpackInto(archive, files, offset, folder);
      return folder;
    } catch (error) {
      failures.push(`${parent}: ${error.message}`);
    }
  }
  const size = Math.ceil((archive.length - offset) / 1e6);
  process.stderr.write(
    `${program}: cannot unpack its files: ${failures.join('; ')}\n  Free ${size} MB there, or name a folder: XDG_CACHE_HOME=FOLDER\n`,
  );
  // Of zkops, 1 is a warning about the ensemble, and 3 is no verdict.
  return process.exit(program === 'zkops' ? 3 : 1);
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

/** After a loss of power, or a cleanup of old files, some may be missing or empty. */
function isWhole(folder, files) {
  if (!isOwn(folder)) return false;
  return files.every(({ name, size }) => {
    return statSync(join(folder, name), { throwIfNoEntry: false })?.size === size;
  });
}

/** Of two processes that unpack at once, the second finds the folder of the first. */
function unpack(archive, files, offset, folder) {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const staging = mkdtempSync(`${folder}.`);
  try {
    unpackInto(archive, files, offset, staging);
    if (!isWhole(folder, files)) rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!isWhole(folder, files)) throw error;
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
const script = join(unpackedFolder(program), 'dist', 'bin', `${program}.cjs`);
process.argv = [process.execPath, script, ...args];
createRequire(script)(script);
