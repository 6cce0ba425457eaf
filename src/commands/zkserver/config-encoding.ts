// Java reads zoo.cfg as ISO-8859-1, so Apache's server uses another folder than an operator means
// who writes dataDir=dé in UTF-8. This one reads it alike, says so, and never starts an empty
// folder beside one that has the data.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseLogName, parseSnapshotName, VERSION_DIR } from '../../files/file-names.js';
import { escapeProperty, parseProperties } from '../../server/config/java-properties.js';

/** One line for each property that the file does not spell in ASCII. */
export function encodingWarnings(file: string, text: string): readonly string[] {
  return parseProperties(text)
    .properties.filter(({ isAscii }) => !isAscii)
    .map(({ key, value, line }) => {
      const meant = readAsUtf8(value);
      const advice = meant === undefined ? '' : `. For "${meant}", write ${escapeProperty(meant)}`;
      const asRead = `read as ISO-8859-1, as by Apache's server: "${value}"`;
      return `${file}:${line}: ${key}: has bytes beyond ASCII, ${asRead}${advice}`;
    });
}

/**
 * Why a server must not start in `folder`, or undefined.
 * @param key dataDir or dataLogDir
 */
export function emptyBesideData(key: string, folder: string): string | undefined {
  if (hasData(folder)) return undefined;
  const other = otherReadings(folder).find(hasData);
  if (other === undefined) return undefined;
  return `${key}: ${folder} has no data, but ${other} has: another server reads this name so. Use it with ${key}=${escapeProperty(other)}, or move it to ${folder}`;
}

/** As a reader of UTF-8 understands it, and as Java does without a locale. */
function otherReadings(folder: string): readonly string[] {
  const meant = readAsUtf8(folder);
  const others = [meant, withQuestionMarks(folder), meant && withQuestionMarks(meant)];
  return others.filter((one): one is string => one !== undefined && one !== folder);
}

function withQuestionMarks(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

/** Undefined if the bytes are not UTF-8. */
function readAsUtf8(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const read = bytes.toString('utf8');
  return Buffer.from(read, 'utf8').equals(bytes) && bytes.toString('latin1') === text
    ? read
    : undefined;
}

function hasData(folder: string): boolean {
  try {
    return readdirSync(join(folder, VERSION_DIR)).some(
      (name) => parseSnapshotName(name) !== undefined || parseLogName(name) !== undefined,
    );
  } catch {
    return false;
  }
}
