import type { CallOption } from '../../src/commands/program/command-line.js';
import { PROPERTY, SERVER_VERBS, ZKSERVER } from '../../src/commands/zkserver/cli.js';
import { type Declared, escapeRoff, expand, expectAll, listDirectives } from './roff.js';

/** zkserver(8). */
export function serverPage(): string {
  const lineOf = (terms: readonly string[]) => `.TP\n.B ${terms.join(', ')}`;
  const verbs = SERVER_VERBS.map((verb) => ({ ...verb, term: verbTerm(verb) }));
  const own = SERVER_VERBS.flatMap(({ name, options }) =>
    options.map(([flags, about]) => declaredOption([flags, `${about} (${name})`])),
  );
  const status = ZKSERVER.exitStatus.map(([code, summary]) => {
    return { name: String(code), term: String(code), summary };
  });
  const lists = [
    listDirectives('verb', verbs, lineOf),
    listDirectives('option', [declaredOption(PROPERTY), ...own], lineOf),
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

/** `init \fIzoo.cfg|port [datadir]\fR [\-\-myid n]`, which begins in bold. */
function verbTerm({ name, args, options }: (typeof SERVER_VERBS)[number]): string {
  const words = args.map((arg) => arg.replace(/^<(.*)>$/, '$1'));
  const flags = [...options, ...(name === 'version' ? [] : [PROPERTY])].map(
    ([each]) => `[${each.replace(/[<>]/g, '')}]${each === PROPERTY[0] ? '...' : ''}`,
  );
  const italic = words.length === 0 ? '' : ` \\fI${escapeRoff(words.join(' '))}`;
  const plain = flags.length === 0 ? '' : ` \\fR${escapeRoff(flags.join(' '))}`;
  return `${escapeRoff(name)}${italic}${plain}`;
}

function declaredOption([flags, summary]: CallOption): Declared {
  const [name = flags, value] = flags.split(' ');
  const words = value === undefined ? '' : ` \\fI${escapeRoff(value.slice(1, -1))}`;
  return { name, term: `${escapeRoff(name)}${words}`, summary };
}
