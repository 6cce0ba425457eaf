/**
 * Parses JAAS files: users, as in `Server { …DigestLoginModule required user_bob="secret"; };`,
 * logins: `username="bob" password="secret"`, and keytabs and credential caches in Krb5LoginModule.
 * Refuses other login modules: without authentication, a server or client would be open.
 */

import type { KerberosLogin, SaslLogin } from './sasl-login.js';

/** The message is a sentence without the file's name. */
export class JaasError extends Error {
  override readonly name = 'JaasError';
  readonly code = 'EJAAS';
}

type Options = ReadonlyMap<string, string>;

interface LoginModule {
  readonly className: string;
  readonly options: Options;
}

const SKIPPED = /\s+|\/\/.*|\/\*[\s\S]*?\*\/|(?<=^[ \t]*)#.*/my;
const TOKEN = /"((?:[^"\\]|\\[\s\S])*)"|([{};=])|[^\s{};="]+/y;
/** Where a file of passwords has user:password. */
const HEAD = /[\w.-]+\s*\{/y;
const FLAGS: readonly string[] = ['required', 'requisite', 'sufficient', 'optional'];
const DIGEST = /(?:^|\.)DigestLoginModule$/;
const USER_PREFIX = 'user_';
const KERBEROS = /(?:^|\.)Krb5LoginModule$/;
const SERVICE = /^[^/@]+\/[^/@]+(?:@[^/@]+)?$/;
const DEFAULT_KEYTAB = '/etc/krb5.keytab';

/** Whether the text begins with a section, perhaps after comments. */
export function isJaas(text: string): boolean {
  HEAD.lastIndex = skipped(text, 0);
  return HEAD.test(text) && text.includes('LoginModule');
}

/** The place after blanks and comments. */
function skipped(text: string, from: number): number {
  let at = from;
  for (;;) {
    SKIPPED.lastIndex = at;
    const found = SKIPPED.exec(text);
    if (found === null) return at;
    at = SKIPPED.lastIndex;
  }
}

function sectionsOf(text: string): Map<string, readonly LoginModule[]> {
  const tokens = new Tokens(text);
  const sections = new Map<string, readonly LoginModule[]>();
  while (!tokens.isAtEnd) {
    const name = tokens.take('the name of a section');
    if (sections.has(name)) throw new JaasError(`section ${name}: duplicate`);
    tokens.expect('{');
    const modules: LoginModule[] = [];
    while (!tokens.accept('}')) modules.push(moduleOf(tokens));
    tokens.expect(';');
    sections.set(name, modules);
  }
  return sections;
}

function moduleOf(tokens: Tokens): LoginModule {
  const className = tokens.take('a login module');
  const flag = tokens.take('required');
  if (!FLAGS.includes(flag.toLowerCase())) {
    throw tokens.fault(`"${flag}" (expected ${FLAGS.join(', ')})`);
  }
  const options = new Map<string, string>();
  while (!tokens.accept(';')) {
    const key = tokens.take('an option');
    tokens.expect('=');
    options.set(key, tokens.take(`the value of ${key}`));
  }
  return { className, options };
}

class Tokens {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
    this.skip();
  }

  get isAtEnd(): boolean {
    return this.at === this.text.length;
  }

  /** A word or a quoted text. @param what named in the error */
  take(what: string): string {
    const found = this.peek();
    if (found === null || found[2] !== undefined) {
      throw this.fault(`${this.shown(found)} (expected ${what})`);
    }
    this.advance(found);
    return found[1] === undefined ? found[0] : found[1].replace(/\\([\s\S])/g, '$1');
  }

  accept(mark: string): boolean {
    const found = this.peek();
    if (found?.[2] !== mark) return false;
    this.advance(found);
    return true;
  }

  expect(mark: string): void {
    if (!this.accept(mark)) throw this.fault(`${this.shown(this.peek())} (expected "${mark}")`);
  }

  fault(what: string): JaasError {
    const line = this.text.slice(0, this.at).split('\n').length;
    return new JaasError(`line ${line}: found ${what}`);
  }

  private peek(): RegExpExecArray | null {
    TOKEN.lastIndex = this.at;
    return TOKEN.exec(this.text);
  }

  /** Never shows the value of an option, which may be a password. */
  private shown(found: RegExpExecArray | null): string {
    if (found === null) return this.isAtEnd ? 'the end' : 'a text without its closing quote';
    return found[1] === undefined ? `"${found[0]}"` : 'a text in quotes';
  }

  private advance([token]: RegExpExecArray): void {
    this.at += token.length;
    this.skip();
  }

  private skip(): void {
    this.at = skipped(this.text, this.at);
  }
}

function digestOptions(text: string, name: string): Options | undefined {
  const modules = sectionsOf(text).get(name);
  if (modules === undefined) return undefined;
  const other = modules.find(({ className }) => !DIGEST.test(className));
  if (other !== undefined) {
    throw new JaasError(
      `section ${name}: ${other.className} is not supported here (expected DigestLoginModule, or Krb5LoginModule alone)`,
    );
  }
  return new Map(modules.flatMap(({ options }) => [...options]));
}

/** What the section of a server says about the logins of its clients. */
export type SaslServerLogin =
  | { readonly kind: 'digest'; readonly users: Map<string, string> }
  | { readonly kind: 'kerberos'; readonly principal: string; readonly keyTab: string };

/** Undefined without the section `name`. @throws JaasError */
export function parseSaslServer(text: string, name: string): SaslServerLogin | undefined {
  const [first, second] = sectionsOf(text).get(name) ?? [];
  if (first !== undefined && second === undefined && KERBEROS.test(first.className)) {
    return { kind: 'kerberos', ...keysOf(first.options, name) };
  }
  const users = parseSaslUsers(text, name);
  return users === undefined ? undefined : { kind: 'digest', users };
}

/** A server accepts logins only with a keytab. */
function keysOf(options: Options, name: string): { principal: string; keyTab: string } {
  for (const option of ['useKeyTab', 'storeKey']) {
    if (options.get(option) !== 'true') {
      throw new JaasError(`section ${name}: Krb5LoginModule needs ${option}=true`);
    }
  }
  const principal = options.get('principal') ?? '';
  if (!SERVICE.test(principal)) {
    throw new JaasError(
      `section ${name}: principal: "${principal}" (expected service/host or service/host@REALM)`,
    );
  }
  return { principal, keyTab: options.get('keyTab') ?? DEFAULT_KEYTAB };
}

/** The passwords by user in the section `name`; undefined without it. @throws JaasError */
export function parseSaslUsers(text: string, name: string): Map<string, string> | undefined {
  const options = digestOptions(text, name);
  if (options === undefined) return undefined;
  const users = [...options].filter(([key]) => key.startsWith(USER_PREFIX));
  return new Map(users.map(([key, password]) => [key.slice(USER_PREFIX.length), password]));
}

/** The login in the section `name`; undefined if it has none. @throws JaasError */
export function parseSaslLogin(text: string, name: string): SaslLogin | undefined {
  const [first, second] = sectionsOf(text).get(name) ?? [];
  if (first !== undefined && second === undefined && KERBEROS.test(first.className)) {
    return kerberosLogin(first.options, name);
  }
  const options = digestOptions(text, name);
  const user = options?.get('username');
  const password = options?.get('password');
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** As Java's module with these options, which can ask for no password here. */
function kerberosLogin(options: Options, name: string): KerberosLogin {
  const isTrue = (option: string): boolean => options.get(option)?.toLowerCase() === 'true';
  const refuse = (problem: string): never => {
    throw new JaasError(`section ${name}: Krb5LoginModule: ${problem}`);
  };
  if (options.get('isInitiator')?.toLowerCase() === 'false') {
    refuse('isInitiator=false: such a section cannot log in (expected true)');
  }
  if (isTrue('renewTGT')) {
    refuse('renewTGT=true: not supported (run kinit -R, or use a keytab)');
  }
  const [usesKeyTab, usesCache] = [isTrue('useKeyTab'), isTrue('useTicketCache')];
  if (!usesKeyTab && !usesCache) refuse('needs useKeyTab=true or useTicketCache=true');
  const principal = options.get('principal');
  if (usesKeyTab && principal === undefined) refuse('useKeyTab=true needs a principal');
  return {
    mechanism: 'GSSAPI',
    ...(principal === undefined ? {} : { principal }),
    ...(usesKeyTab ? { keytab: options.get('keyTab') ?? DEFAULT_KEYTAB } : {}),
    ...(usesCache ? { ticketCache: options.get('ticketCache') ?? '' } : {}),
  };
}
