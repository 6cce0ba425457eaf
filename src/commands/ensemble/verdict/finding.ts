import type { MemberStatus } from '../status.js';
import type { FindingName } from './finding-name.js';
import type { Problem } from './result.js';

export interface Overall {
  readonly summary: string;
  readonly problems: readonly Problem[];
}

export function finding(
  level: Problem['level'],
  code: FindingName,
  text: string,
  about: readonly MemberStatus[] = [],
): Overall {
  return { summary: text, problems: [{ level, code, text, ...aboutMembers(about) }] };
}

function aboutMembers(about: readonly MemberStatus[]): Pick<Problem, 'servers'> {
  return about.length === 0 ? {} : { servers: about.map(({ member }) => member.server) };
}

export function well(summary: string): Overall {
  return { summary, problems: [] };
}
