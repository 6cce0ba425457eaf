/**
 * Parses JAAS files: users, as in `Server { …DigestLoginModule required user_bob="secret"; };`, and
 * logins: `username="bob" password="secret"`. No other module is supported. Pure.
 */
const SECTION = /([\w.-]+)\s*\{([^}]*)\}\s*;/g;
const USER = /\buser_([^\s=]+)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

const LOGIN = /\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

/** The content of the section `name` if it has a DigestLoginModule. */
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
 * The passwords by user in the section `name`; undefined if the section or its DigestLoginModule is
 * missing.
 */
export function parseSaslUsers(text: string, name: string): Map<string, string> | undefined {
  const body = sectionOf(text, name);
  if (body === undefined) return undefined;
  const users = [...body.matchAll(USER)].map(
    ([, user = '', password = '']) => [user, unquoted(password)] as const,
  );
  return new Map(users);
}

/** The login in the section `name`; undefined if it has none. */
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
