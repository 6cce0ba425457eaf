import { type Complaint, complain, lineAt, type SourceFile } from './source-file.js';

/**
 * uvu exits 0 for a file that never calls .run() or whose hook throws, and `.only` silently omits
 * other tests. Its throws() calls a class as a check, which returns an error and so is satisfied.
 * A string in the place of a check is only the message of a failure.
 * @param registrars files that may register a test as skipped, because they print the reason
 */
export function checkTestFile(file: SourceFile, registrars: readonly string[] = []): Complaint[] {
  const complaints: Complaint[] = [];
  const forbid = (pattern: RegExp, why: string): void => {
    for (const match of file.code.matchAll(pattern)) {
      complaints.push(complain(file, lineAt(file.code, match.index), why));
    }
  };
  if (file.path.endsWith('.test.ts')) {
    const last = file.code.trimEnd().split('\n').at(-1) ?? '';
    if (!/^\w+\.run\(\);$/.test(last)) {
      complaints.push(complain(file, 1, 'its last line does not call .run()'));
    }
    forbid(/\bsetTimeout\s*\(|\bdelay\s*\(|\bsleep\s*\(/g, 'waits for a time, not for a condition');
  }
  forbid(/\.(?:before|after)\s*(?:\.\s*each\s*)?\(/g, 'has a hook');
  forbid(/\bthrows\([^;]*,\s*[A-Z]\w*Error,?\s*\);/g, 'accepts every error: compare its class');
  const unchecked = /\bthrows\([^;]*[^/\s,],\s*'[^']*',?\s*\);/g;
  forbid(unchecked, 'accepts every error: a string is not compared');
  forbid(/\btest\.only\b/g, 'omits other tests');
  if (!registrars.includes(file.path)) forbid(/\btest\.skip\b/g, 'skips a test');
  return complaints;
}
