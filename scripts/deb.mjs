// Makes dist/zksh_VERSION_ARCH.deb from dist/executable (npm run executable): a package without
// Node.js, with the commands, manuals, completions, units, and docs. It needs dpkg-deb.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const EXECUTABLE = process.argv[2] ?? 'dist/executable/zk';
const OUT = process.argv[3] ?? 'dist';
const PROGRAMS = ['zksh', 'zkops', 'zkserver'];
/** The scripts that dpkg runs. */
const CONTROL = 'deploy/debian';

if (!existsSync(EXECUTABLE)) {
  console.error(`${EXECUTABLE}: not found\nMake it first: npm run executable`);
  process.exit(1);
}

const { version, description, files } = JSON.parse(readFileSync('package.json', 'utf8'));
const print = (option) => execFileSync('dpkg', [option], { encoding: 'utf8' }).trim();
const architecture = print('--print-architecture');
const stage = join(OUT, 'deb');
rmSync(stage, { recursive: true, force: true });

function put(path, text, mode = 0o644) {
  const file = join(stage, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
}

put('usr/lib/zksh/zk', readFileSync(EXECUTABLE), 0o755);
mkdirSync(join(stage, 'usr/bin'), { recursive: true });
for (const name of PROGRAMS) symlinkSync('../lib/zksh/zk', join(stage, 'usr/bin', name));

for (const page of readdirSync('man').filter((name) => /\.\d$/.test(name))) {
  const text = gzipSync(readFileSync(join('man', page)), { level: 9 });
  put(`usr/share/man/man${page.at(-1)}/${page}.gz`, text);
}
for (const name of PROGRAMS) {
  for (const [shell, file] of [
    ['bash', `bash-completion/completions/${name}`],
    ['zsh', `zsh/vendor-completions/_${name}`],
    ['fish', `fish/vendor_completions.d/${name}.fish`],
  ]) {
    const args = [`dist/bin/${name}.cjs`, 'completion', shell];
    put(`usr/share/${file}`, execFileSync(process.execPath, args));
  }
}
for (const unit of readdirSync('deploy/systemd')) {
  put(`usr/lib/systemd/system/${unit}`, readFileSync(join('deploy/systemd', unit)));
}
// The same pages as in the npm package, so that their links to each other work.
const left = files.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
for (const from of files.filter((name) => !/^!|^dist\b/.test(name))) {
  cpSync(from, join(stage, 'usr/share/doc/zksh', from), {
    recursive: true,
    filter: (source) => !left.includes(source),
  });
}
const licenses = ['LICENSE', 'dist/THIRD-PARTY-NOTICES'].map((file) => readFileSync(file, 'utf8'));
put('usr/share/doc/zksh/copyright', licenses.join('\n'));
put('usr/share/doc/zksh/changelog.gz', gzipSync(readFileSync('CHANGELOG.md'), { level: 9 }));

const kib = execFileSync('du', ['-sk', stage], { encoding: 'utf8' }).split('\t')[0];
put(
  'DEBIAN/control',
  `Package: zksh
Version: ${version}
Architecture: ${architecture}
Maintainer: the zksh project <zksh@localhost>
Installed-Size: ${kib}
Depends: libc6 (>= 2.28), libstdc++6 (>= 8)
Recommends: adduser
Section: database
Priority: optional
Description: ${description}
 The commands zksh, zkops, and zkserver in one executable that needs no Node.js,
 with a systemd unit for a server and one for metrics. It can be installed
 beside Debian's packages zookeeper and zookeeperd.
`,
);
for (const name of readdirSync(CONTROL)) {
  put(`DEBIAN/${name}`, readFileSync(join(CONTROL, name)), 0o755);
}

const file = join(OUT, `zksh_${version}_${architecture}.deb`);
// xz would take a minute for a few megabytes less.
execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', stage, file], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
rmSync(stage, { recursive: true });
console.log(`wrote ${file}`);
