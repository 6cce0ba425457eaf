// Lines, bars, and arrows in ASCII, for terminals without UTF-8.

/** One character each, so that widths stay the same. */
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

/** Without a locale, as in many containers, terminals read UTF-8. */
export function isAsciiLocale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return locale !== '' && !/utf-?8/i.test(locale);
}

export function asciiDrawing(text: string): string {
  return text.replace(DRAWN, (char) => ASCII[char] ?? char);
}

/** Makes the stream draw in ASCII if its locale requires it. Bytes stay as they are. */
export function drawForLocale(
  stream: NodeJS.WriteStream,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (stream.isTTY !== true || !isAsciiLocale(env)) return;
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...rest: []) =>
    write(typeof chunk === 'string' ? asciiDrawing(chunk) : chunk, ...rest)) as typeof write;
}
