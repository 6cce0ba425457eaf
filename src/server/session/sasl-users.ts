/**
 * The users of a JAAS file: `Server { …DigestLoginModule required user_bob="secret"; };`. Only that
 * module is known here. Pure.
 */
const SECTION = /([\w.-]+)\s*\{([^}]*)\}\s*;/g;
const USER = /\buser_([^\s=]+)\s*=\s*"((?:[^"\\]|\\.)*)"/g;

/**
 * The passwords by user that the section `name` lists; undefined when there is no such section, or
 * it has no DigestLoginModule.
 */
export function parseSaslUsers(text: string, name: string): Map<string, string> | undefined {
  const plain = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*(?:\/\/|#).*$/gm, '');
  for (const [, section, body = ''] of plain.matchAll(SECTION)) {
    if (section !== name || !/\bDigestLoginModule\b/.test(body)) continue;
    const users = [...body.matchAll(USER)].map(
      ([, user = '', password = '']) => [user, password.replace(/\\(.)/g, '$1')] as const,
    );
    return new Map(users);
  }
  return undefined;
}
