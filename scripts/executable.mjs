// Makes dist/executable/zk, a single executable for the system that it runs on, from the installed
// Node.js, with links named zksh, zkops, and zkserver. postject puts the files into the copy.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const BUNDLES = 'dist/bin';
const OUT = 'dist/executable';
const POSTJECT = 'node_modules/postject/dist/cli.js';
/** Node.js looks for this text in its own file. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => !/\.(map|ts|md)$/.test(name) && statSync(name).isFile())
    .sort();

// package.json has the version, and says that the parts of the shell are ES modules.
const names = ['package.json', 'dist/THIRD-PARTY-NOTICES', ...filesIn(BUNDLES)];
const contents = names.map((name) => readFileSync(name));
const index = Buffer.from(
  JSON.stringify(
    names.map((name, at) => ({
      name,
      size: contents[at].length,
      sha256: createHash('sha256').update(contents[at]).digest('hex'),
    })),
  ),
);
const length = Buffer.alloc(4);
length.writeUInt32BE(index.length);
const archive = join(OUT, 'files');
writeFileSync(archive, Buffer.concat([length, index, ...contents]));

const config = join(OUT, 'sea.json');
const blob = join(OUT, 'sea.blob');
const settings = {
  main: 'scripts/executable-main.cjs',
  output: blob,
  disableExperimentalSEAWarning: true,
  assets: { files: archive },
};
writeFileSync(config, JSON.stringify(settings));
execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'inherit' });

const executable = join(OUT, 'zk');
copyFileSync(process.execPath, executable);
chmodSync(executable, 0o755);
const inject = [POSTJECT, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE];
execFileSync(process.execPath, inject, { stdio: ['ignore', 'ignore', 'inherit'] });
for (const name of ['zksh', 'zkops', 'zkserver']) symlinkSync('zk', join(OUT, name));
for (const file of [archive, config, blob]) rmSync(file);
const size = (statSync(executable).size / 1e6).toFixed(0);
console.log(
  `${executable}: ${size} MB, with the files of ${BUNDLES} and Node.js ${process.version}`,
);
