import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

interface Model {
  validate(): void;
}

/**
 * The faults of manifests by the schemas of Kubernetes, as the npm package kubernetes-models has
 * them. Its validators check the values, and its types the names: a validator ignores a name that
 * it does not know.
 */
export async function kubernetesFaults(manifests: readonly unknown[]): Promise<string[]> {
  const faults: string[] = [];
  const lines: string[] = [];
  for (const [at, manifest] of manifests.entries()) {
    const { apiVersion, kind } = manifest as { apiVersion: string; kind: string };
    const models: Record<string, new (of: unknown) => Model> = await import(
      `kubernetes-models/${apiVersion}`
    );
    const Found = models[kind];
    if (Found === undefined) {
      faults.push(`${apiVersion} has no ${kind}`);
      continue;
    }
    try {
      new Found(manifest).validate();
    } catch (error) {
      faults.push(`${kind}: ${(error as Error).message}`);
    }
    lines.push(`import type { I${kind} as Kind${at} } from "kubernetes-models/${apiVersion}";`);
    lines.push(`export const manifest${at}: Kind${at} = ${JSON.stringify(manifest)};`);
  }
  return [...faults, ...(await compileErrors(lines.join('\n')))];
}

async function compileErrors(source: string): Promise<string[]> {
  const { path, remove } = makeTempDir('kubernetes');
  try {
    symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(path, 'node_modules'));
    writeFileSync(join(path, 'package.json'), '{"type": "module"}');
    writeFileSync(join(path, 'manifests.ts'), source);
    const compiler = join(PROJECT_ROOT, 'node_modules', '.bin', 'tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
    return await new Promise((resolve) => {
      execFile(compiler, [...options, 'manifests.ts'], { cwd: path }, (error, stdout) =>
        resolve(error === null ? [] : stdout.trim().split('\n')),
      );
    });
  } finally {
    remove();
  }
}
