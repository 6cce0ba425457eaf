/**
 * The users of a JAAS file: `Server { …DigestLoginModule required user_bob="secret"; };`, and who
 * logs in: `username="bob" password="secret"`. Only that module is known here. Pure.
 */
const SECTION = /([\w.-]+)\s*\{([^}]*)\}\s*;/g;
const USER = /\buser_([^\s=]+)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

const LOGIN = /\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

/** What stands in the section `name` when it has a DigestLoginModule. */
function sectionOf(text: string, name: string): string | undefined {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*(?:\/\/|#).*$/gm, '');
  for (const [, section, body = ''] of plain.matchAll(SECTION)) {
    if (section === name && /\bDigestLoginModule\b/.test(body)) return body;
  }
  return undefined;
}

function unquoted(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

/**
 * The passwords by user that the section `name` lists; undefined when there is no such section, or
 * it has no DigestLoginModule.
 */
export function parseSaslUsers(text: string, name: string): Map<string, string> | undefined {
  const body = sectionOf(text, name);
  if (body === undefined) return undefined;
  const users = [...body.matchAll(USER)].map(
    ([, user = '', password = '']) => [user, unquoted(password)] as const,
  );
  return new Map(users);
}

/** Who logs in by the section `name`; undefined when it does not say so. */
export function parseSaslLogin(
  text: string,
  name: string,
): { readonly user: string; readonly password: string } | undefined {
  const found = [...(sectionOf(text, name) ?? '').matchAll(LOGIN)];
  const said = new Map(found.map(([, key = '', value = '']) => [key, unquoted(value)]));
  const user = said.get('username');
  const password = said.get('password');
  return user === undefined || password === undefined ? undefined : { user, password };
}
