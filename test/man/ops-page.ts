import {
  type ArgumentSpecs,
  type OptionSpec,
  valueNameOf,
} from '../../src/commands/machine/declaration.js';
import { verbOptions } from '../../src/commands/zkops/calls/options.js';
import { ZKOPS } from '../../src/commands/zkops/cli.js';
import { TASKS, VERBS } from '../../src/commands/zkops/index.js';
import { type Declared, escapeRoff, expand, expectAll, listDirectives } from './roff.js';

interface Verb {
  readonly name: string;
  readonly summary: string;
  readonly args?: ArgumentSpecs;
  /** It is a task that asks members. */
  readonly isProbe?: boolean;
}

/** A call takes one of them. */
const SOURCES = ['ensemble', 'servers', 'connect', 'config'];

type Option = readonly [name: string, spec: OptionSpec];

/** zkops(1), in mdoc(7). */
export async function opsPage(): Promise<string> {
  const tasks = await allTasks();
  const options = new Map(VERBS.flatMap((verb) => Object.entries(verbOptions(verb))));
  const lineOf = (terms: readonly string[]) => `.It ${terms.join(' , ')}`;
  const verbs = listDirectives('verb', [...VERBS, ...tasks].map(declaredVerb), lineOf);
  const flags = listDirectives('option', [...options].map(declaredOption), lineOf);
  const statuses = listDirectives('exit', ZKOPS.exitStatus.map(declaredStatus), lineOf);
  const page = expand('zkops.1', {
    ...verbs.directives,
    ...flags.directives,
    ...statuses.directives,
    synopsis: () => synopsis([...options], tasks),
  });
  expectAll('zkops.1', verbs, flags, statuses);
  return page;
}

async function allTasks(): Promise<readonly Verb[]> {
  const families = TASKS.map(async ({ name, summary, load }) =>
    (await load()).map((task) => ({
      summary,
      ...task,
      name: task.name === name ? name : `${name} ${task.name}`,
      isProbe: task.hasMembers,
    })),
  );
  return (await Promise.all(families)).flat();
}

function synopsis(options: readonly Option[], tasks: readonly Verb[]): string {
  const termOf = (option: Option) => optionTerm(option).replace(/^Fl \w , /, '');
  const isSource = (option: Option) => SOURCES.includes(option[0]);
  const sources = options.filter(isSource).map(termOf).join(' | ');
  const flags = options.filter((option) => !isSource(option)).map(termOf);
  const probes = tasks.filter(({ isProbe }) => isProbe).map(({ name }) => name);
  const files = tasks.filter(({ isProbe }) => !isProbe);
  return [
    '.Nm\n.Ar word | verb',
    ...[sources, ...flags].map((term) => `.Op ${term}`),
    `.Nm\n.Cm ${probes.join(' | ')}\n.Op Ar option ...`,
    ...files.map((task) => `.Nm\n.${verbTerm(task)}\n.Op Ar option ...`),
    '.Nm\n.Fl \\-help | Fl \\-version',
  ].join('\n');
}

function declaredVerb(verb: Verb): Declared {
  return { name: verb.name, term: verbTerm(verb), summary: verb.summary };
}

function verbTerm({ name, args = {} }: Verb): string {
  const words = Object.entries(args).map(([arg, { isOptional, isVariadic }]) => {
    const plain = `Ar ${escapeRoff(arg)}${isVariadic === true ? ' ...' : ''}`;
    return isOptional === true ? ` Op ${plain}` : ` ${plain}`;
  });
  return `Cm ${name}${words.join('')}`;
}

function declaredOption(option: Option): Declared {
  return { name: `--${option[0]}`, term: optionTerm(option), summary: option[1].summary };
}

/** `Fl o , Fl \-output Ar format`. */
function optionTerm([name, spec]: Option): string {
  const short = spec.letter === undefined ? '' : `Fl ${spec.letter} , `;
  const words = spec.kind === undefined ? '' : ` Ar ${valueNameOf(name, spec).toLowerCase()}`;
  return `${short}Fl ${escapeRoff(`-${name}`)}${words}`;
}

function declaredStatus([status, summary]: readonly [number, string]): Declared {
  return { name: String(status), term: String(status), summary };
}
