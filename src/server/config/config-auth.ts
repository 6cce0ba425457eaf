/** The authentication schemes of a configuration (ProviderRegistry, AuthenticationHelper). */
import type { OptionValues } from './config.js';

/** Apache's classes that have an equivalent here. */
const SCHEME_OF_CLASS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    IPAuthenticationProvider: 'ip',
    DigestAuthenticationProvider: 'digest',
    X509AuthenticationProvider: 'x509',
    SASLAuthenticationProvider: 'sasl',
    EnsembleAuthenticationProvider: 'ensemble',
  }).map(([name, scheme]) => [`org.apache.zookeeper.server.auth.${name}`, scheme]),
);
const PROVIDER_KEY = /^zookeeper\.(authProvider\..*)$/;

export interface AuthProblem {
  readonly key: string;
  readonly message: string;
  /** Apache's server does not start with this problem. */
  readonly isError: boolean;
}

/** Which schemes clients may use. */
export interface AuthSchemes {
  /** The names of all, such as `digest`. */
  readonly schemes: ReadonlySet<string>;
  /** A client needs one of these schemes before it is served; null if none is required. */
  readonly enforced: readonly string[] | null;
  /** Keys that this server ignores or refuses. */
  readonly problems: readonly AuthProblem[];
}

/** @param properties by full name, such as `zookeeper.authProvider.1` */
export function authSchemesOf(
  values: OptionValues,
  properties: ReadonlyMap<string, string>,
): AuthSchemes {
  const schemes = new Set(['ip']);
  const problems: AuthProblem[] = [];
  if (values.digestAuthEnabled) schemes.add('digest');
  const hasTls = values.sslKeyStoreLocation !== null || values.clientPortUnification;
  if (values.secureClientPort !== null || hasTls) schemes.add('x509');
  for (const [property, className] of properties) {
    const key = PROVIDER_KEY.exec(property)?.[1];
    if (key === undefined) continue;
    const scheme = SCHEME_OF_CLASS.get(className);
    if (scheme !== undefined) schemes.add(scheme);
    else problems.push({ key, message: unknownClass(className), isError: true });
  }
  const enforced = enforcedSchemes(values);
  if (enforced?.length === 0) {
    const message = 'expected schemes separated by "," because enforce.auth.enabled is true';
    problems.push({ key: 'enforce.auth.schemes', message, isError: true });
  }
  for (const scheme of enforced ?? []) {
    if (schemes.has(scheme)) continue;
    const key = values.sessionRequireClientSASLAuth
      ? 'sessionRequireClientSASLAuth'
      : 'enforce.auth.schemes';
    problems.push({
      key,
      message: `no authProvider for scheme ${scheme}`,
      isError: true,
    });
  }
  return { schemes, enforced, problems };
}

function unknownClass(className: string): string {
  const known = [...SCHEME_OF_CLASS.keys()].map((name) => name.slice(name.lastIndexOf('.') + 1));
  return `unsupported class: ${className} (expected ${known.join(', ')})`;
}

function enforcedSchemes(values: OptionValues): string[] | null {
  if (values.sessionRequireClientSASLAuth) return ['sasl'];
  if (!values.enforceAuthEnabled) return null;
  const schemes = values.enforceAuthSchemes.split(',').map((scheme) => scheme.trim());
  return schemes.filter((scheme) => scheme !== '');
}

/** Missing settings of authentication between servers (QuorumPeerConfig). */
export function quorumAuthProblems(
  values: OptionValues,
): readonly { readonly key: string; readonly message: string }[] {
  const { quorumAuthEnableSasl: isEnabled, quorumAuthLearnerRequireSasl: isLearner } = values;
  const isServer = values.quorumAuthServerRequireSasl;
  const needs = (key: string, other: string) => ({ key, message: `needs ${other}=true` });
  const problems = [];
  if (isLearner && !isEnabled) {
    problems.push(needs('quorum.auth.learnerRequireSasl', 'quorum.auth.enableSasl'));
  }
  if (isServer && !isEnabled) {
    problems.push(needs('quorum.auth.serverRequireSasl', 'quorum.auth.enableSasl'));
  } else if (isServer && !isLearner) {
    // Servers with the same configuration would refuse it.
    problems.push(needs('quorum.auth.serverRequireSasl', 'quorum.auth.learnerRequireSasl'));
  }
  if (isEnabled && values.saslLoginConfig === null) {
    const message = 'needs a JAAS file (-D java.security.auth.login.config=<file>)';
    problems.push({ key: 'quorum.auth.enableSasl', message });
  }
  return problems;
}
