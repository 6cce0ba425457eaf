export interface OpsTerminal {
  readonly width: number;
  readonly isColor: boolean;
}

const DEFAULT_WIDTH = 80;

/** False for a terminal that shows escape sequences as text, such as the shell of Emacs. */
export function canDraw({ TERM }: Readonly<Record<string, string | undefined>>): boolean {
  return TERM !== 'dumb' && TERM !== 'unknown';
}

/**
 * Color only on a terminal. NO_COLOR (no-color.org) turns it off, and FORCE_COLOR overrides both:
 * `0` and `false` turn color off, other values turn it on.
 */
export function describeTerminal(
  stream: { readonly isTTY?: boolean; readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): OpsTerminal {
  const columns = stream.columns ?? Number(env['COLUMNS']);
  return {
    width: Number.isInteger(columns) && columns > 0 ? columns : DEFAULT_WIDTH,
    isColor: wantsColor(stream.isTTY === true, env),
  };
}

function wantsColor(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  return isTerminal && canDraw(env);
}
