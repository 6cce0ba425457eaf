/** Options that are set and have no effect, another one than in Apache's server, or are refused. */

import type { OptionName, OptionValues } from './config.js';
import type { AuthProblem } from './config-auth.js';
import { OPTIONS } from './config-keys.js';
import type { Option } from './config-option.js';

/** @param saidAs the options that are set, with the name that set them */
export function effectProblems(
  values: OptionValues,
  saidAs: ReadonlyMap<OptionName, string>,
): readonly AuthProblem[] {
  const problems = [...saidAs].flatMap(([name, key]) => {
    const option: Option<unknown> = OPTIONS[name];
    if (values[name] === option.default) return [];
    const message = messageOf(option);
    return message === undefined ? [] : [{ key, message, isError: option.status === 'refused' }];
  });
  if (values.oraclePath !== null) problems.push(ORACLE_RISK);
  return [...problems, ...nameCheckProblems(values, saidAs)];
}

const ORACLE_RISK: AuthProblem = {
  key: 'oraclePath',
  message:
    'while the file says 1, one of two voters may acknowledge writes that are on its disk only',
  isError: false,
};

function messageOf({ status, why }: Option<unknown>): string | undefined {
  if (status === 'refused') return `not supported: ${why}`;
  return status === 'no effect' ? `has no effect here: ${why}` : undefined;
}

/** Which of two options decides is as in X509Util, except for servers that say that they check. */
function* nameCheckProblems(
  values: OptionValues,
  saidAs: ReadonlyMap<OptionName, string>,
): Generator<AuthProblem> {
  const key = saidAs.get('sslQuorumHostnameVerification');
  const isQuorumSecure = values.sslQuorum || values.portUnification;
  if (key !== undefined && values.sslQuorumHostnameVerification && values.fipsMode) {
    const message =
      "has an effect in fips-mode, too, unlike in Apache's server; if certificates do not name their servers, set it to false";
    if (isQuorumSecure) yield { key, message, isError: false };
  }
  if (values.sslClientHostnameVerification && !values.sslHostnameVerification) {
    const message = 'has no effect, because ssl.hostnameVerification is false';
    yield { key: 'ssl.clientHostnameVerification', message, isError: false };
  }
}
