import { spawnSync } from 'node:child_process';

/** The version of an installed package of Debian. */
export function debianVersion(name: string): string | undefined {
  const { stdout } = spawnSync('dpkg-query', ['--status', name], { encoding: 'utf8' });
  if (!/^Status: .* installed$/m.test(stdout)) return undefined;
  return /^Version: (?:\d+:)?(\d+(?:\.\d+)*)/m.exec(stdout)?.[1];
}
