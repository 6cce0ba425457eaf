/**
 * Saves a new membership for the next start: the lines in `zoo.cfg.dynamic.<version>`, and the name
 * of that file in zoo.cfg (QuorumPeerConfig.writeDynamicConfig, editStaticConfig). The rest of
 * zoo.cfg, with comments, stays unchanged.
 */
import { dirname, resolve } from 'node:path';
import { escapeProperty } from '../../config/java-properties.js';
import { accessOf, writeFileAtomically } from '../storage/atomic-file.js';
import { type FileSystem, NODE_FILES } from '../storage/file-system.js';
import { readWhole } from '../storage/read-file.js';

export interface ConfigKeeperOptions {
  readonly file: string;
  readonly sid: number;
  readonly fs?: FileSystem | undefined;
  readonly onWarning: (message: string) => void;
}

export class ConfigKeeper {
  private readonly options: ConfigKeeperOptions;
  private last: Promise<void> = Promise.resolve();
  private isBackedUp = false;

  constructor(options: ConfigKeeperOptions) {
    this.options = options;
  }

  /** `text`: the lines and the version. `isSettled`: no newer configuration is proposed. */
  keep(text: string, isSettled: boolean): void {
    this.inTurn('new', async () => {
      await this.write(text);
      if (isSettled) await this.writeNext(null);
    });
  }

  /** Null deletes the file. A failure is only a warning: the log has most proposals, too. */
  keepNext(text: string | null): Promise<void> {
    this.inTurn('proposed', () => this.writeNext(text));
    return this.last;
  }

  private inTurn(which: string, work: () => Promise<void>): void {
    const { file, onWarning } = this.options;
    this.last = this.last.then(work).catch((error: Error) => {
      onWarning(
        `${file}: cannot write the ${which} membership of the ensemble (${error.message}): correct it before the next start of this server`,
      );
    });
  }

  private async writeNext(text: string | null): Promise<void> {
    const { fs = NODE_FILES } = this.options;
    const file = resolve(this.options.file);
    const nextFile = nextConfigFileOf(file);
    if (text !== null) {
      const lines = linesOf(text).sort();
      await writeFileAtomically(fs, nextFile, lines.join('\n'), await accessOf(fs, file));
    } else if ((await accessOf(fs, nextFile)) !== undefined) {
      await fs.unlink(nextFile);
      await fs.syncFolder(dirname(nextFile));
    }
  }

  async close(): Promise<void> {
    await this.last;
  }

  private async write(text: string): Promise<void> {
    const { sid, fs = NODE_FILES } = this.options;
    const file = resolve(this.options.file);
    const lines = linesOf(text);
    const version = lines.find((line) => line.startsWith('version='))?.slice(8) ?? '0';
    const dynamicFile = `${file}.dynamic.${version}`;
    const kept = lines.filter((line) => !line.startsWith('version=')).sort();
    const access = await accessOf(fs, file);
    await writeFileAtomically(fs, dynamicFile, kept.join('\n'), access);
    const before = (await readWhole(fs, file)).toString('latin1');
    const own = kept.find((line) => line.startsWith(`server.${sid}=`));
    const after = pointTo(dynamicFile, before, replacedBy(own ?? ''));
    if (after === before) return;
    if (!this.isBackedUp && !/^[ \t\f]*dynamicConfigFile[ \t\f]*[=:]/m.test(before)) {
      await writeFileAtomically(fs, `${file}.bak`, Buffer.from(before, 'latin1'), access);
    }
    this.isBackedUp = true;
    await writeFileAtomically(fs, file, Buffer.from(after, 'latin1'));
  }
}

/** The proposed membership, with its version in the text (nextDynamicConfigFileSuffix). */
export function nextConfigFileOf(configFile: string): string {
  return `${configFile}.dynamic.next`;
}

/** In ASCII, since each byte is a character of ISO-8859-1 when the file is read. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(escapeProperty);
}

const MEMBERSHIP = /^\s*(?:server\.|group\.|weight\.|dynamicConfigFile\b|peerType\b)/;
const CLIENT_PORT = /^\s*clientPort(?:Address)?\b/;
const SECURE_CLIENT_PORT = /^\s*secureClientPort(?:Address)?\b/;

/** The lines of zoo.cfg that a line of the membership replaces. */
function replacedBy(own: string): readonly RegExp[] {
  const [, client = '', secureClient = ''] = own.split(';');
  return [
    MEMBERSHIP,
    ...(client === '' ? [] : [CLIENT_PORT]),
    ...(secureClient === '' ? [] : [SECURE_CLIENT_PORT]),
  ];
}

function pointTo(dynamicFile: string, text: string, replaced: readonly RegExp[]): string {
  const kept: string[] = [];
  let isContinued = false;
  for (const line of text.trimEnd().split('\n')) {
    const isDropped: boolean = isContinued || replaced.some((pattern) => pattern.test(line));
    isContinued = isDropped && /(?:^|[^\\])(?:\\\\)*\\\r?$/.test(line);
    if (!isDropped) kept.push(line);
  }
  return `${[...kept, `dynamicConfigFile=${escapeProperty(dynamicFile)}`].join('\n')}\n`;
}
