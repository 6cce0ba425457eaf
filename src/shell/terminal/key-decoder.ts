// A push parser of terminal input: a chunk may contain several keys, or a part of one. Sequences:
// ECMA-48 CSI, SS3, the modifier parameter of xterm (1 + shift 1 + alt 2 + ctrl 4), and bracketed
// paste (200~ … 201~). Ink's useInput is unsuitable: it does not distinguish Backspace from Delete,
// and reports several typed keys as one text.

export type Key =
  | { readonly type: 'text'; readonly text: string }
  /** Line breaks are normalized to \n. */
  | { readonly type: 'paste'; readonly text: string }
  /** `ctrl-`, `alt-`, and `shift-` in this order, then the key: "ctrl-a", "alt-left", "enter". */
  | { readonly type: 'key'; readonly name: string };

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';
const ESCAPE = '\x1b';
// The part after the escape.
const CSI = /^\[([0-?]*)[ -/]*([@-~])/;
const SS3 = /^O([A-Za-z])/;
const UNFINISHED = /^(?:\[\[?|\[[0-?]*[ -/]*|[O\]P_^X])?$/;
/** F1 to F5 of the Linux console. */
const CONSOLE_KEY = /^\[\[[A-E]/;
/** OSC, DCS, APC, PM, SOS: answers of the terminal, which are never typed text. */
const STRING_START = /^[\]P_^X]/;
/** BEL or ST ends a string. CAN, SUB, and another escape abort it, and so does Ctrl-C. */
const STRING_ENDS: ReadonlySet<string> = new Set(['\x07', '\x9c', '\x03', '\x18', '\x1a', ESCAPE]);
/** One character instead of an escape and a letter. */
const C1 = /^[\x8f\x90\x98\x9b\x9d-\x9f]/;
const CONTROL_OR_ESCAPE = /\p{Cc}/u;

const BY_LETTER: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift-tab',
};

const BY_NUMBER: Readonly<Record<string, string>> = {
  '1': 'home',
  '2': 'insert',
  '3': 'delete',
  '4': 'end',
  '5': 'page-up',
  '6': 'page-down',
  '7': 'home',
  '8': 'end',
};

const CONTROL: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\x7f': 'backspace',
  '\x00': 'ctrl-space',
  [ESCAPE]: 'escape',
};

export class KeyDecoder {
  private rest = '';
  /** Undefined outside of a paste. */
  private paste: string | undefined;
  private isReadingString = false;

  /** Whether an escape is pending: a key, or the start of a sequence. Call flush() soon. */
  get isWaiting(): boolean {
    return this.rest !== '' && this.paste === undefined && !this.isInString;
  }

  /** Whether a string has not ended. Call flush() if nothing comes for a while. */
  get isInString(): boolean {
    return this.isReadingString;
  }

  push(chunk: string): readonly Key[] {
    const keys: Key[] = [];
    this.rest += chunk;
    while (this.rest !== '') {
      const key = this.next();
      if (key === 'unfinished') break;
      if (key !== undefined) keys.push(key);
    }
    return keys;
  }

  /** A single pending escape is the Escape key. */
  flush(): readonly Key[] {
    if (this.isReadingString) {
      this.isReadingString = false;
      this.rest = '';
    }
    if (!this.isWaiting) return [];
    const rest = this.rest;
    this.rest = '';
    if (rest.length === 2 && STRING_START.test(rest.slice(1)))
      return [named(`alt-${rest.slice(1)}`)];
    return [named('escape'), ...(rest.length > 1 ? this.push(rest.slice(1)) : [])];
  }

  private next(): Key | undefined | 'unfinished' {
    if (this.paste !== undefined) return this.endPaste(this.paste);
    return this.isReadingString ? this.skipString() : this.nextKey();
  }

  private skipString(): undefined | 'unfinished' {
    const end = this.rest.split('').findIndex((char) => STRING_ENDS.has(char));
    const mark = this.rest.charAt(end);
    if (end === -1 || (mark === ESCAPE && end === this.rest.length - 1)) {
      this.rest = end === -1 ? '' : ESCAPE;
      return 'unfinished';
    }
    this.isReadingString = false;
    const isKey = mark === '\x03' || (mark === ESCAPE && this.rest.charAt(end + 1) !== '\\');
    this.rest = this.rest.slice(end + (isKey ? 0 : mark === ESCAPE ? 2 : 1));
    return undefined;
  }

  /** Undefined for an unknown sequence. */
  private nextKey(): Key | undefined | 'unfinished' {
    const input = this.rest;
    const first = input.charAt(0);
    if (C1.test(first)) {
      this.rest = ESCAPE + String.fromCharCode(first.charCodeAt(0) - 0x40) + input.slice(1);
      return undefined;
    }
    if (first !== ESCAPE) {
      const control = CONTROL_OR_ESCAPE.exec(input)?.index ?? input.length;
      if (control > 0) return this.take(control, { type: 'text', text: input.slice(0, control) });
      return this.take(1, named(controlName(first)));
    }
    if (input.startsWith(PASTE_START)) {
      this.paste = '';
      return this.take(PASTE_START.length, undefined);
    }
    const tail = input.slice(1);
    if (STRING_START.test(tail) && tail.length > 1 && tail.charAt(1) !== ESCAPE) {
      this.isReadingString = true;
      return this.take(2, undefined);
    }
    if (CONSOLE_KEY.test(tail)) return this.take(4, undefined);
    const csi = UNFINISHED.test(tail) ? null : CSI.exec(tail);
    if (csi !== null) {
      const name = csiName(csi[1] ?? '', csi[2] ?? '');
      return this.take(1 + csi[0].length, name === undefined ? undefined : named(name));
    }
    const ss3 = SS3.exec(tail);
    if (ss3 !== null) {
      const name = BY_LETTER[ss3[1] ?? ''];
      return this.take(1 + ss3[0].length, name === undefined ? undefined : named(name));
    }
    if (UNFINISHED.test(tail)) return 'unfinished';
    return this.altKey(input);
  }

  private altKey(input: string): Key | undefined {
    const char = String.fromCodePoint(input.codePointAt(1) ?? 0);
    if (char === ESCAPE) return this.take(1, named('escape'));
    const name = CONTROL_OR_ESCAPE.test(char) ? controlName(char) : char;
    return this.take(1 + char.length, named(`alt-${name}`));
  }

  private endPaste(gathered: string): Key | undefined | 'unfinished' {
    const end = this.rest.indexOf(PASTE_END);
    if (end === -1) {
      // The end marker may be split over two chunks.
      const safe = Math.max(0, this.rest.length - PASTE_END.length + 1);
      this.paste = gathered + this.rest.slice(0, safe);
      this.rest = this.rest.slice(safe);
      return 'unfinished';
    }
    const text = (gathered + this.rest.slice(0, end)).replace(/\r\n?/g, '\n');
    this.paste = undefined;
    return this.take(end + PASTE_END.length, { type: 'paste', text });
  }

  private take(length: number, key: Key | undefined): Key | undefined {
    this.rest = this.rest.slice(length);
    return key;
  }
}

/** Stops the program, in every state. */
export function isCtrlZ(key: Key): boolean {
  return key.type === 'key' && key.name === 'ctrl-z';
}

function named(name: string): Key {
  return { type: 'key', name };
}

function controlName(char: string): string {
  const name = CONTROL[char];
  if (name !== undefined) return name;
  const letter = String.fromCharCode(char.charCodeAt(0) + 0x40).toLowerCase();
  return `ctrl-${letter}`;
}

function csiName(parameters: string, final: string): string | undefined {
  const [first = '', modifier = '1'] = parameters.split(';');
  const name = final === '~' ? BY_NUMBER[first] : BY_LETTER[final];
  if (name === undefined) return undefined;
  const bits = Number(modifier) - 1;
  const prefix = [bits & 4 ? 'ctrl-' : '', bits & 2 ? 'alt-' : '', bits & 1 ? 'shift-' : ''];
  return prefix.join('') + name;
}
