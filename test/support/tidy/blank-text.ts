/**
 * TypeScript with everything except code blanked out: whole comments, and the contents of strings,
 * templates, and regular expressions. Offsets, lines, and columns stay the same. It is a scanner,
 * not a parser: it separates text from code in sources that Biome has formatted.
 */
export function blankText(source: string): string {
  return new Blanker(source).run();
}

const REGEX_MAY_FOLLOW = /(?:^|[(,=:[!&|?{};+\-*%~^>\n]|\b(?:return|typeof|case|of|in|throw))$/;

class Blanker {
  private readonly source: string;
  private readonly out: string[] = [];
  /** For each open template: the number of open braces in its substitution. */
  private readonly braces: number[] = [];
  private at = 0;

  constructor(source: string) {
    this.source = source;
  }

  run(): string {
    while (this.at < this.source.length) this.step();
    return this.out.join('');
  }

  private step(): void {
    const { source, at } = this;
    const two = source.slice(at, at + 2);
    const char = source.charAt(at);
    if (two === '//') this.blankUntil(source.indexOf('\n', at));
    else if (two === '/*') this.blankUntil(source.indexOf('*/', at + 2) + 2);
    else if (char === "'" || char === '"') this.quoted(char);
    else if (char === '`') this.template();
    else if (char === '/' && this.isRegexAhead()) this.regex();
    else if (char === '}' && this.braces.at(-1) === 0) this.endSubstitution();
    else this.code(char);
  }

  private code(char: string): void {
    const depth = this.braces.length - 1;
    if (depth >= 0 && char === '{') this.braces[depth] = (this.braces[depth] ?? 0) + 1;
    if (depth >= 0 && char === '}') this.braces[depth] = (this.braces[depth] ?? 0) - 1;
    this.keep(1);
  }

  private isRegexAhead(): boolean {
    return REGEX_MAY_FOLLOW.test(this.out.slice(-40).join('').trimEnd());
  }

  private quoted(quote: string): void {
    this.keep(1);
    this.textUntil((char) => char === quote || char === '\n');
    if (this.source.charAt(this.at) === quote) this.keep(1);
  }

  private regex(): void {
    let isInClass = false;
    this.keep(1);
    this.textUntil((char) => {
      if (char === '[') isInClass = true;
      if (char === ']') isInClass = false;
      return (char === '/' && !isInClass) || char === '\n';
    });
    this.keep(1);
  }

  private template(): void {
    this.keep(1);
    this.templateText();
  }

  private endSubstitution(): void {
    this.braces.pop();
    this.keep(1);
    this.templateText();
  }

  private templateText(): void {
    this.textUntil((char, next) => char === '`' || (char === '$' && next === '{'));
    if (this.source.charAt(this.at) === '`') {
      this.keep(1);
      return;
    }
    this.keep(2);
    this.braces.push(0);
  }

  private textUntil(isEnd: (char: string, next: string) => boolean): void {
    const { source } = this;
    let end = this.at;
    while (end < source.length && !isEnd(source.charAt(end), source.charAt(end + 1))) {
      end += source.charAt(end) === '\\' ? 2 : 1;
    }
    this.blankUntil(Math.min(end, source.length));
  }

  private blankUntil(end: number): void {
    const to = end < this.at ? this.source.length : end;
    this.out.push(...this.source.slice(this.at, to).replace(/[^\n]/g, ' '));
    this.at = to;
  }

  private keep(count: number): void {
    this.out.push(...this.source.slice(this.at, this.at + count));
    this.at += count;
  }
}
