/**
 * Builds the bytes of ZooKeeper's protocol and files without code of the project, so that a shared
 * mistake cannot hide.
 */
export class ByteBuilder {
  private readonly parts: Buffer[] = [];

  long(value: bigint): this {
    const part = Buffer.alloc(8);
    part.writeBigInt64BE(BigInt.asIntN(64, value));
    return this.bytes(part);
  }

  int(value: number): this {
    const part = Buffer.alloc(4);
    part.writeInt32BE(value);
    return this.bytes(part);
  }

  byte(value: number): this {
    return this.bytes(Buffer.from([value]));
  }

  bytes(part: Uint8Array): this {
    this.parts.push(Buffer.from(part));
    return this;
  }

  bool(value: boolean): this {
    return this.byte(value ? 1 : 0);
  }

  string(text: string): this {
    return this.int(Buffer.byteLength(text)).bytes(Buffer.from(text));
  }

  buffer(bytes: Uint8Array | null): this {
    return bytes === null ? this.int(-1) : this.int(bytes.length).bytes(bytes);
  }

  /** A count, then each value. */
  vector<T>(values: readonly T[], add: (builder: this, value: T) => unknown): this {
    this.int(values.length);
    for (const value of values) add(this, value);
    return this;
  }

  build(): Buffer {
    return Buffer.concat(this.parts);
  }
}
