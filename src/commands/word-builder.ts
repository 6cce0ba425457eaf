/** Collects a word: characters, and now and then a byte that need not be a character. */
export class WordBuilder {
  #text = '';
  readonly #parts: Buffer[] = [];

  addText(text: string): void {
    this.#text += text;
  }

  addByte(byte: number): void {
    if (byte < 0x80) {
      this.#text += String.fromCharCode(byte);
      return;
    }
    this.#parts.push(Buffer.from(this.#text), Buffer.of(byte));
    this.#text = '';
  }

  build(): { text: string; bytes: Buffer; isText: boolean } {
    const tail = Buffer.from(this.#text);
    if (this.#parts.length === 0) return { text: this.#text, bytes: tail, isText: true };
    const bytes = Buffer.concat([...this.#parts, tail]);
    const text = bytes.toString();
    return { text, bytes, isText: Buffer.from(text).equals(bytes) };
  }
}
