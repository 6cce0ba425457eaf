/** Characters with a meaning in patterns, brackets, or braces. */
export const GLOB_SIGNS: ReadonlySet<string> = new Set('*?[]{},!^-\\');

export class WordBuilder {
  private text = '';
  /** Positions of unquoted pattern characters. */
  private signs: number[] = [];
  private isGlob = false;
  private readonly parts: { readonly bytes: Buffer; readonly pattern: Buffer }[] = [];

  /** @param isBare typed without quotes and backslash */
  addText(text: string, isBare = false): void {
    if (isBare && GLOB_SIGNS.has(text)) {
      this.signs.push(this.text.length);
      this.isGlob ||= OPENING.has(text);
    }
    this.text += text;
  }

  addByte(byte: number): void {
    if (byte < 0x80) {
      this.text += String.fromCharCode(byte);
      return;
    }
    this.endPart();
    const bytes = Buffer.of(byte);
    this.parts.push({ bytes, pattern: bytes });
  }

  build(): { text: string; bytes: Buffer; isText: boolean; pattern?: string } {
    if (this.parts.length === 0) {
      const [text, bytes] = [this.text, Buffer.from(this.text)];
      const word = { text, bytes, isText: true };
      return this.isGlob ? { ...word, pattern: this.pattern() } : word;
    }
    this.endPart();
    const bytes = Buffer.concat(this.parts.map((part) => part.bytes));
    const text = bytes.toString();
    const word = { text, bytes, isText: Buffer.from(text).equals(bytes) };
    const pattern = Buffer.concat(this.parts.map((part) => part.pattern)).toString();
    return this.isGlob ? { ...word, pattern } : word;
  }

  private endPart(): void {
    const [bytes, pattern] = [Buffer.from(this.text), Buffer.from(this.pattern())];
    this.parts.push({ bytes, pattern });
    this.text = '';
    this.signs = [];
  }

  /** The text with a backslash before each quoted pattern character. */
  private pattern(): string {
    if (!this.isGlob) return '';
    const signs = new Set(this.signs);
    return this.text
      .split('')
      .map((unit, at) => (GLOB_SIGNS.has(unit) && !signs.has(at) ? `\\${unit}` : unit))
      .join('');
  }
}

/** A glob has at least one of these. */
const OPENING: ReadonlySet<string> = new Set(['*', '?', '[', '{']);
