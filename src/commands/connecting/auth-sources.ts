import { readFile, stat } from 'node:fs/promises';
import { type ClientSasl, saslOf } from '../../client/base/kerberos.js';
import { isJaas, JaasError, parseSaslLogin } from '../../protocol/jaas.js';
import { isKerberos, type SaslLogin } from '../../protocol/sasl-login.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import { shellWord } from '../program/shell-word.js';
import { fault } from './profiles.js';

/** Reads user:password from the first line; refuses a file that others may read. */
export async function readAuthFile(file: string): Promise<string> {
  const { text, isPrivate } = await readCredentials(file);
  if (!isPrivate) throw tooOpen(file);
  const [line = ''] = text.split(/\r?\n/);
  if (!line.includes(':')) throw fault(`${file}: its first line has no user:password`);
  return line;
}

const SECTION = 'Client';

/**
 * Reads the same file for a login by SASL, or a JAAS file with the section Client. A file that only
 * names a keytab or a cache has no secret. @throws CommandError USAGE
 */
export async function readSaslFile(file: string): Promise<ClientSasl> {
  const { text, isPrivate } = await readCredentials(file);
  if (isJaas(text)) {
    const login = loginIn(file, text);
    if (!isPrivate && !isKerberos(login)) throw tooOpen(file);
    return saslOf(login);
  }
  const line = await readAuthFile(file);
  const at = line.indexOf(':');
  return { user: line.slice(0, at), password: line.slice(at + 1) };
}

function loginIn(file: string, text: string): SaslLogin {
  try {
    const login = parseSaslLogin(text, SECTION);
    if (login !== undefined) return login;
  } catch (cause) {
    if (!(cause instanceof JaasError)) throw cause;
    throw fault(`${file}: ${cause.message}`);
  }
  throw fault(
    `${file}: section ${SECTION}: expected a DigestLoginModule with username and password, or a Krb5LoginModule`,
  );
}

async function readCredentials(file: string): Promise<{ text: string; isPrivate: boolean }> {
  try {
    const { mode } = await stat(file);
    return { text: await readFile(file, 'utf8'), isPrivate: (mode & 0o077) === 0 };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw fault(`${file}: cannot read credentials: ${why}`);
  }
}

function tooOpen(file: string): CommandError {
  return fault(
    `${file}: is readable by users other than its owner`,
    `chmod 600 ${shellWord(file)}`,
  );
}

/** Asks for a password on the terminal, without echo. @returns user:password */
export async function askAuth(user: string): Promise<string> {
  if (process.stdin.isTTY !== true) {
    throw fault(
      'no terminal to ask for a password',
      'set ZKSH_AUTH, or use a file with --auth-file',
    );
  }
  return `${user}:${await askHidden(`password of ${user}: `)}`;
}

/** Asks on the terminal, without echo. @throws CommandError INTERRUPTED for Ctrl-C */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  stdin.setRawMode(true);
  try {
    return await readHidden(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

const INTERRUPTS = new Set(['\x03', '\x04']);

function readHidden(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    const line = new HiddenLine();
    const onData = (chunk: Buffer) => {
      const end = line.type(chunk.toString());
      if (end === undefined) return;
      stdin.off('data', onData);
      if (end === 'interrupted') reject(interrupted());
      else resolve(line.text);
    };
    stdin.on('data', onData);
    stdin.resume();
  });
}

export class HiddenLine {
  private typed: string[] = [];

  get text(): string {
    return this.typed.join('');
  }

  type(chars: string): 'entered' | 'interrupted' | undefined {
    for (const char of chars) {
      if (char === '\r' || char === '\n') return 'entered';
      if (INTERRUPTS.has(char)) return 'interrupted';
      if (char === '\x7f' || char === '\b') this.typed.pop();
      else if (char === '\x15') this.typed = [];
      else this.typed.push(char);
    }
    return undefined;
  }
}

function interrupted(): CommandError {
  return new CommandError('password prompt: interrupted', {
    code: 'INTERRUPTED',
    exitCode: ExitCode.interrupted,
  });
}
