/**
 * The id of a Kerberos principal in ACLs: the short name by the rules of `security.auth_to_local`,
 * then host and realm unless they are removed (KerberosName, SaslServerCallbackHandler).
 */
import { KerberosError } from './kerberos-error.js';

export interface NameOptions {
  /** "DEFAULT", or rules such as `RULE:[2:$1]`, separated by spaces. */
  readonly rules: string;
  /** Empty if unknown: then DEFAULT applies to no principal. */
  readonly defaultRealm: string;
  readonly isHostRemoved: boolean;
  readonly isRealmRemoved: boolean;
}

/** @param names the realm, then the components; undefined if the rule is for others */
type Rule = (names: readonly string[]) => string | undefined;

const NAME = /^([^/@]*)(?:\/([^/@]*))?@([^/@]*)$/;
const RULE =
  /\s*(?:(DEFAULT)|RULE:\[(\d*):([^\]]*)\](?:\(([^)]*)\))?(?:s\/([^/]*)\/([^/]*)\/(g)?)?)\s*/y;

/** @throws KerberosError for an invalid rule */
export function nameMapper(options: NameOptions): (principal: string) => string {
  const rules = parseRules(options.rules, options.defaultRealm);
  return (principal) => {
    const [, service, host, realm] = NAME.exec(principal) ?? [];
    if (service === undefined || realm === undefined) {
      throw new KerberosError(`unsupported principal: "${principal}" (expected user/host@REALM)`);
    }
    const short = shortName(rules, host === undefined ? [realm, service] : [realm, service, host]);
    if (short === undefined) return principal;
    const ofHost = host === undefined || options.isHostRemoved ? '' : `/${host}`;
    return `${short}${ofHost}${options.isRealmRemoved ? '' : `@${realm}`}`;
  };
}

/** Undefined if the first rule that applies makes no simple name, or none applies. */
function shortName(rules: readonly Rule[], names: readonly string[]): string | undefined {
  for (const rule of rules) {
    const short = rule(names);
    if (short !== undefined) return /[/@]/.test(short) ? undefined : short;
  }
  return undefined;
}

function parseRules(text: string, defaultRealm: string): Rule[] {
  const rules: Rule[] = [];
  for (RULE.lastIndex = 0; RULE.lastIndex < text.trimEnd().length; ) {
    const start = RULE.lastIndex;
    const found = RULE.exec(text);
    if (found === null) throw invalid(text.slice(start));
    const [whole, byDefault, count, format = '', match, from, to = '', repeat] = found;
    if (byDefault !== undefined) {
      rules.push(([realm, service]) => (realm === defaultRealm ? service : undefined));
      continue;
    }
    const matched = match === undefined ? undefined : pattern(`^(?:${match})$`, '', whole);
    const replaced = from === undefined ? undefined : pattern(from, repeat ?? '', whole);
    rules.push((names) => {
      if (names.length - 1 !== Number(count)) return undefined;
      const base = format.replace(/\$(\d+)/g, (_, at: string) => names[Number(at)] ?? '');
      if (matched !== undefined && !matched.test(base)) return undefined;
      return replaced === undefined ? base : base.replace(replaced, to);
    });
  }
  return rules;
}

function pattern(source: string, flags: string, rule: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (cause) {
    throw invalid(rule, cause);
  }
}

function invalid(rule: string, cause?: unknown): KerberosError {
  return new KerberosError(`invalid rule: "${rule.trim()}"`, { cause });
}
