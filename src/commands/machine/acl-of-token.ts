import type { ACL } from '../../protocol/data.js';
import { usageError } from '../program/command-error.js';
import type { Token } from '../zksh/language/parse-line.js';
import { AclSyntaxError, parseAcl } from '../znodes/parse-acl.js';

/** @throws CommandError USAGE that points at the invalid part */
export function aclOf(token: Token): readonly ACL[] {
  try {
    return parseAcl(token.text);
  } catch (error) {
    if (!(error instanceof AclSyntaxError)) throw error;
    const start = token.start + error.start;
    const isExact = !token.isQuoted && token.end - token.start === token.text.length;
    const place = isExact ? { start, end: token.start + error.end } : token;
    throw usageError(error.message, place, error.hint);
  }
}
