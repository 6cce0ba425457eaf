import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API, type Checker, type Symbol as Named, type Project } from 'typescript/unstable/sync';
import { makeTempDir } from '../machine/temp-dir.js';
import { PROJECT_ROOT } from '../tidy/source-file.js';

/** SymbolFlags of TypeScript, which does not export them. */
const CLASS_OR_INTERFACE = 32 | 64;
const TYPE_PARAMETER = 262_144;
const ALIAS = 2_097_152;

/** Their types say everything, or they mean the same in every error. */
const PLAIN_MEMBERS = 'name code path type op data stat signal value id state prototype'.split(' ');
/** Names of types that only group members or arguments. */
const PLAIN_TYPES = /(Options|Callback|Events)$/;

/**
 * The public symbols without a comment: exports of the entries, and members of classes and
 * interfaces. A member may have its comment in `ZooKeeperClient`, which the class implements.
 * Classes that replace those of another package have its documentation: only their names count.
 * @param entries declaration files
 */
export function undocumented(entries: readonly string[]): string[] {
  const folder = makeTempDir('undocumented');
  const config = join(folder.path, 'tsconfig.json');
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    typeRoots: [join(PROJECT_ROOT, 'node_modules/@types')],
    skipLibCheck: true,
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: entries }));
  const api = new API({ cwd: PROJECT_ROOT });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config}: TypeScript cannot open it`);
    return entries.flatMap((entry) => undocumentedIn(project, entry));
  } finally {
    api.close();
    folder.remove();
  }
}

function undocumentedIn(project: Project, entry: string): string[] {
  const { checker, program } = project;
  const source = program.getSourceFile(entry);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry}: TypeScript finds no module`);
  const exported = checker.getExportsOfModule(module).map((each): [string, Named] => {
    return [each.name, (each.flags & ALIAS) === 0 ? each : checker.getAliasedSymbol(each)];
  });
  const known = new Set(
    exported.flatMap(([name, symbol]) =>
      name === 'ZooKeeperClient' ? [...symbol.getMembers().values()].map((each) => each.name) : [],
    ),
  );
  return exported.flatMap(([name, symbol]) => {
    const missing = PLAIN_TYPES.test(name) || hasComment(checker, symbol) ? [] : [name];
    const isChecked = (symbol.flags & CLASS_OR_INTERFACE) !== 0 && !entry.includes('/compat/');
    if (!isChecked || name.endsWith('Events')) return missing;
    const members = [...symbol.getMembers().values(), ...symbol.getExports().values()]
      .filter((member) => isPublic(project, member) && !hasComment(checker, member))
      .filter((member) => name !== 'ZooKeeper' || !known.has(member.name));
    return [...missing, ...members.map((member) => `${name}.${member.name}`)];
  });
}

function isPublic(project: Project, member: Named): boolean {
  const text = member.declarations[0]?.resolve(project)?.getText() ?? '';
  const isHidden = /^(private|protected)\b|^#/.test(text) || /^__/.test(member.name);
  return !isHidden && !PLAIN_MEMBERS.includes(member.name) && (member.flags & TYPE_PARAMETER) === 0;
}

function hasComment(checker: Checker, symbol: Named): boolean {
  return symbol.getDocumentationComment(checker) !== '' || symbol.getJsDocTags(checker).length > 0;
}
