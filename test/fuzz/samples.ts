/** One value of each request. Only its layout matters to the fuzzer. */
import { InputArchive } from '../../src/jute/input-archive.js';
import type { RecordType } from '../../src/jute/record.js';

/** Returns the same for each field of a type: this text, these bytes, zero, one element. */
class Same extends InputArchive {
  private readonly text: string;

  constructor(text: string) {
    super(Buffer.alloc(0));
    this.text = text;
  }

  override readBool(): boolean {
    return false;
  }

  override readByte(): number {
    return 0;
  }

  override readInt(): number {
    return 0;
  }

  override readLong(): bigint {
    return 0n;
  }

  override readBuffer(): Buffer {
    return Buffer.from('data');
  }

  override readString(): string {
    return this.text;
  }

  override readCount(): number {
    return 1;
  }
}

/** The bytes of a record with this value for all texts. */
export function sampleOf(type: RecordType<unknown>, text: string): Buffer {
  return type.encode(type.read(new Same(text)));
}
