import { type FileFormat, formatParts } from './dump-format.js';
import type { TreeSource } from './tree-source.js';
import {
  type DumpHead,
  endFields,
  headFields,
  type LineFields,
  recordFields,
} from './znode-record.js';

export interface DumpPart {
  /** Without the newline that follows. */
  readonly text: string;
  readonly fields: LineFields;
}

/** Head, records, and end. Starts after the root was read, so that an error leaves no head. */
export async function* dumpParts(
  source: TreeSource,
  { format, ...head }: { readonly format: FileFormat } & Omit<DumpHead, 'root'>,
): AsyncGenerator<DumpPart> {
  const { text } = await formatParts(format);
  const fields = headFields({ ...head, root: source.root }, new Date().toISOString());
  const first = { text: text.head(fields), fields };
  let znodes = 0;
  for await (const record of source.records()) {
    if (znodes === 0) yield first;
    const line = recordFields(record);
    yield { text: text.record(line, znodes === 0), fields: line };
    znodes++;
  }
  if (znodes === 0) yield first;
  const { ephemeralsLeftOut, unread } = source;
  const end = endFields({ znodes, ephemeralsLeftOut, unread });
  yield { text: text.end(end), fields: end };
}
