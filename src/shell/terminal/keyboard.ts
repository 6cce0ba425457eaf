// Restores the terminal however the process ends.
import { type Key, KeyDecoder } from './key-decoder.js';

/** A single escape is the Escape key after this time. */
const ESCAPE_MS = 50;
/** A string of the terminal that pauses for longer has no end. */
const STRING_MS = 1000;
const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';
const CURSOR_ON = '\x1b[?25h';

export interface Keyboard {
  close(): void;
  lend(): () => void;
}

/** @param onEnd called when the terminal is closed */
export function openKeyboard(
  stdin: NodeJS.ReadStream,
  stdout: NodeJS.WriteStream,
  onKey: (key: Key) => void,
  onEnd: () => void,
): Keyboard {
  const decoder = new KeyDecoder();
  let timer: NodeJS.Timeout | undefined;
  const hear = (chunk: string) => {
    clearTimeout(timer);
    for (const key of decoder.push(chunk)) onKey(key);
    if (!decoder.isWaiting && !decoder.isInString) return;
    const flush = () => {
      for (const key of decoder.flush()) onKey(key);
    };
    timer = setTimeout(flush, decoder.isInString ? STRING_MS : ESCAPE_MS);
  };
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    process.off('exit', close);
    stdin.off('data', hear).off('end', onEnd).off('error', onEnd);
    if (!stdin.destroyed) stdin.setRawMode(false).pause();
    if (stdout.writable) stdout.write(PASTE_OFF + CURSOR_ON);
  };
  process.on('exit', close);
  stdin.setEncoding('utf8').setRawMode(true);
  stdin.on('data', hear).on('end', onEnd).on('error', onEnd).resume();
  // Never removed: pending writes to a closed terminal fail later.
  stdout.on('error', onEnd);
  stdout.write(PASTE_ON);
  const lend = () => {
    clearTimeout(timer);
    stdin.off('data', hear);
    if (!stdin.destroyed) stdin.setRawMode(false).pause();
    if (stdout.writable) stdout.write(PASTE_OFF + CURSOR_ON);
    return () => {
      if (!isOpen || stdin.destroyed) return;
      stdin.setRawMode(true).on('data', hear).resume();
      stdout.write(PASTE_ON);
    };
  };
  return { close, lend };
}
