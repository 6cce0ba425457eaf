// Lines, bars, and arrows as ASCII, for terminals that know nothing else.

/** One character for one, so that no width changes. */
const ASCII: Readonly<Record<string, string>> = {
  '─': '-',
  '│': '|',
  '┌': '+',
  '┬': '+',
  '┐': '+',
  '├': '|',
  '┼': '+',
  '┤': '|',
  '└': '`',
  '┴': '+',
  '┘': '+',
  '▸': '>',
  '▾': 'v',
  '▴': '^',
  '↑': '^',
  '↓': 'v',
  '←': '<',
  '→': '>',
  '▏': '|',
  '▁': '_',
  '▂': '.',
  '▃': '-',
  '▄': '=',
  '▅': '+',
  '▆': '*',
  '▇': '%',
  '█': '#',
  '░': '.',
  '•': '*',
  '·': '-',
  '…': '~',
};
const DRAWN = new RegExp(`[${Object.keys(ASCII).join('')}]`, 'g');

/**
 * Is another encoding than UTF-8 set? Without any setting, as in many containers, terminals still
 * read UTF-8.
 */
export function isAsciiLocale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

export function asciiDrawing(text: string): string {
  return text.replace(DRAWN, (char) => ASCII[char] ?? char);
}

/** From now on, text for this terminal is drawn as its locale can show it; bytes stay exact. */
export function drawForLocale(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (stream.isTTY !== true || !isAsciiLocale(env)) return;
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...rest: []) =>
    write(typeof chunk === 'string' ? asciiDrawing(chunk) : chunk, ...rest)) as typeof write;
}
