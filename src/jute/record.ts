import { InputArchive } from './input-archive.js';
import { JuteError } from './jute-error.js';
import { OutputArchive } from './output-archive.js';

/** Encodes and decodes one kind of value. Records are lists of these. */
export interface Type<T> {
  readonly name: string;
  /** Minimum size of a value in bytes: limits the count of a vector before its allocation. */
  readonly minSize: number;
  write(out: OutputArchive, value: T): void;
  read(input: InputArchive): T;
}

export type TypeOf<R> = R extends Type<infer T> ? T : never;

export const int: Type<number> = {
  name: 'int',
  minSize: 4,
  write: (out, value) => out.writeInt(value),
  read: (input) => input.readInt(),
};

export const long: Type<bigint> = {
  name: 'long',
  minSize: 8,
  write: (out, value) => out.writeLong(value),
  read: (input) => input.readLong(),
};

export const bool: Type<boolean> = {
  name: 'boolean',
  minSize: 1,
  write: (out, value) => out.writeBool(value),
  read: (input) => input.readBool(),
};

/** Bytes; null and empty differ. Decoding copies. */
export const buffer: Type<Buffer | null> = {
  name: 'buffer',
  minSize: 4,
  write: (out, value) => out.writeBuffer(value),
  read: (input) => {
    const view = input.readBuffer();
    return view === null ? null : Buffer.from(view);
  },
};

export const ustring: Type<string> = {
  name: 'ustring',
  minSize: 4,
  write: (out, value) => out.writeString(value),
  read: (input) => {
    const value = input.readString();
    if (value === null) throw new JuteError('expected a string, found null');
    return value;
  },
};

/** A vector; null (-1) reads as an empty one, as in every ZooKeeper server. */
export function vector<T>(element: Type<T>): Type<readonly T[]> {
  return {
    name: `vector<${element.name}>`,
    minSize: 4,
    write: (out, values) => {
      out.writeInt(values.length);
      for (const value of values) element.write(out, value);
    },
    read: (input) => {
      const count = input.readCount(element.minSize);
      const values: T[] = [];
      for (let i = 0; i < count; i++) values.push(element.read(input));
      return values;
    },
  };
}

/** A buffer, string or vector where null (-1) differs from empty. */
export function nullable<T>(type: Type<T>): Type<T | null> {
  return {
    name: type.name,
    minSize: 4,
    write: (out, value) => {
      if (value === null) out.writeInt(-1);
      else type.write(out, value);
    },
    read: (input) => {
      const start = input.at;
      if (input.readInt() === -1) return null;
      input.at = start;
      return type.read(input);
    },
  };
}

type Fields = Readonly<Record<string, Type<unknown>>>;
type FieldValues<F extends Fields> = { -readonly [K in keyof F]: TypeOf<F[K]> };

export interface RecordType<T> extends Type<T> {
  readonly fields: Fields;
  encode(value: T): Buffer;
  /** Decodes one record; ignores the bytes after it, as Apache's readers do. */
  decode(bytes: Buffer): T;
}

/** Declares a record: its jute name and its fields in wire order. */
export function record<F extends Fields>(name: string, fields: F): RecordType<FieldValues<F>> {
  const entries = Object.entries(fields);
  type T = FieldValues<F>;
  const self: RecordType<T> = {
    name,
    minSize: entries.reduce((sum, [, type]) => sum + type.minSize, 0),
    fields,
    write: (out, value) => {
      const values = value as Record<string, unknown>;
      for (const [key, type] of entries) type.write(out, values[key]);
    },
    read: (input) => {
      const values: Record<string, unknown> = {};
      for (const [key, type] of entries) values[key] = type.read(input);
      return values as T;
    },
    encode: (value) => {
      const out = new OutputArchive();
      self.write(out, value);
      return out.take();
    },
    decode: (bytes) => self.read(new InputArchive(bytes)),
  };
  return self;
}
