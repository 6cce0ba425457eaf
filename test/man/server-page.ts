import { type OptionSpec, valueNameOf } from '../../src/commands/machine/declaration.js';
import { PROPERTY, SERVER_VERBS, ZKSERVER } from '../../src/commands/zkserver/cli.js';
import { type Declared, escapeRoff, expand, expectAll, listDirectives } from './roff.js';

/** zkserver(8). */
export function serverPage(): string {
  const lineOf = (terms: readonly string[]) => `.TP\n.B ${terms.join(', ')}`;
  const verbs = SERVER_VERBS.map((verb) => ({ ...verb, term: verbTerm(verb) }));
  const own = SERVER_VERBS.flatMap(({ name, options }) =>
    Object.entries(options).map(([option, spec]) =>
      declaredOption([option, { ...spec, summary: `${spec.summary} (${name})` }]),
    ),
  );
  const status = ZKSERVER.exitStatus.map(([code, summary]) => {
    return { name: String(code), term: String(code), summary };
  });
  const lists = [
    listDirectives('verb', verbs, lineOf),
    listDirectives('option', [...Object.entries(PROPERTY).map(declaredOption), ...own], lineOf),
    listDirectives('exit', status, lineOf),
  ];
  const page = expand('zkserver.8', {
    ...Object.assign({}, ...lists.map(({ directives }) => directives)),
    synopsis: () =>
      [...verbs.map(({ term }) => term), '\\-\\-help', '\\-\\-version']
        .map((term) => `.B zkserver ${term}`)
        .join('\n.br\n'),
  });
  expectAll('zkserver.8', ...lists);
  return page;
}

type Option = readonly [name: string, spec: OptionSpec];

/** `init \fIzoo.cfg|port [datadir]\fR [\-\-myid n]`, which begins in bold. */
function verbTerm({ name, args, options }: (typeof SERVER_VERBS)[number]): string {
  const words = Object.entries(args).map(([arg, { isOptional }]) =>
    isOptional === true ? `[${arg}]` : arg,
  );
  const own = Object.entries(options).map((option) => `[${flagOf(option).join(' ')}]`);
  const properties = name === 'version' ? [] : ['[-D name=value]...'];
  const flags = [...own, ...properties];
  const italic = words.length === 0 ? '' : ` \\fI${escapeRoff(words.join(' '))}`;
  const plain = flags.length === 0 ? '' : ` \\fR${escapeRoff(flags.join(' '))}`;
  return `${escapeRoff(name)}${italic}${plain}`;
}

/** `-D` and `name=value`. */
function flagOf([name, spec]: Option): readonly string[] {
  const flag = spec.letter === 'D' ? '-D' : `--${name}`;
  return spec.kind === undefined ? [flag] : [flag, valueNameOf(name, spec).toLowerCase()];
}

function declaredOption(option: Option): Declared {
  const [name = '', value] = flagOf(option);
  const words = value === undefined ? '' : ` \\fI${escapeRoff(value)}`;
  return { name, term: `${escapeRoff(name)}${words}`, summary: option[1].summary };
}
