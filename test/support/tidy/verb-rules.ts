import { type Complaint, complain, type SourceFile } from './source-file.js';

const ROOM = /^src\/commands\/zksh\/verbs\/[^/]+\//;
const REGISTRY = 'src/commands/zksh/running/registry.ts';
const DECLARES = /\bdefine(?:Command|Family)\(/;

/**
 * Imports of a verb of zksh by a verb, and of a room of verbs from outside. What several verbs or
 * others use has its own file, or its own room. Only the registry knows all verbs.
 */
export function findVerbImports(files: readonly SourceFile[]): Complaint[] {
  const verbs = new Set(files.filter(isVerb).map(({ path }) => path));
  return files
    .filter(({ path }) => path !== REGISTRY)
    .flatMap((file) =>
      file.imports.flatMap(({ file: target = '', line }) => {
        const room = ROOM.exec(target)?.[0];
        if (room === undefined) return [];
        if (!file.path.startsWith(room)) return [complain(file, line, `imports ${target}`)];
        return verbs.has(target) ? [complain(file, line, `imports the verb ${target}`)] : [];
      }),
    );
}

function isVerb({ path, code }: SourceFile): boolean {
  return ROOM.test(path) && DECLARES.test(code);
}
