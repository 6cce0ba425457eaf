/** zoo.cfg as text. */
import {
  type Check,
  checkFields,
  checkString,
  checkText,
  checkTexts,
} from '../../protocol/check-argument.js';
import { ConfigBuilder, type ConfigResult } from './config.js';
import { parseProperties } from './java-properties.js';

/** What parseConfig needs beside the text. */
export interface ParseConfigOptions {
  /** In the texts of problems. */
  readonly fileName: string;
  /** The -D options by full property name. */
  readonly properties?: Readonly<Record<string, string>>;
}

const checkProperties: Check = (name, value) => checkTexts(name, value, 'zookeeper.tickTime');

/**
 * Parses zoo.cfg. Errors are in the order of the file.
 * @example
 * const parsed = parseConfig('dataDir=data\nclientPort=2181', { fileName: 'zoo.cfg' });
 * if ('errors' in parsed) console.error(parsed.errors.map(({ text }) => text).join('\n'));
 * else await startServer({ parsed: parsed.config, dataDir: 'data' });
 */
export function parseConfig(text: string, given: ParseConfigOptions): ConfigResult {
  checkString('text', text);
  const options = checkFields('options', given, {
    fileName: checkText,
    properties: checkProperties,
  });
  checkText('options.fileName', options.fileName);
  const builder = new ConfigBuilder(options.fileName);
  const { properties, problems } = parseProperties(text);
  for (const { line, message } of problems) builder.error('syntax', message, line);
  for (const { key, value, line } of properties)
    builder.setFromFile(key.trim(), value.trim(), line);
  for (const [name, value] of Object.entries(options.properties ?? {})) {
    builder.setProperty(name, value.trim());
  }
  builder.requirePlaces();
  return builder.finish();
}
