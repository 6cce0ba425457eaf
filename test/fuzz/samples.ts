/** One value of each request, of which the fuzzer knows no more than the layout. */
import { InputArchive } from '../../src/jute/input-archive.js';
import type { RecordType } from '../../src/jute/record.js';

/** Gives the same for each field of a kind: this text, these bytes, zero, one element. */
class Same extends InputArchive {
  private readonly text: string;

  constructor(text: string) {
    super(Buffer.alloc(0));
    this.text = text;
  }

  override readBool(): boolean {
    return false;
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

/** The bytes of a record all texts of which are this one. */
export function sampleOf(type: RecordType<unknown>, text: string): Buffer {
  return type.encode(type.read(new Same(text)));
}
