import { OPTION_SECTIONS, UNREAD_KEYS } from '../../src/server/config/config-keys.js';
import type { Option } from '../../src/server/config/config-option.js';
import { escapeRoff, expand, sentence } from './roff.js';

/** zoo.cfg(5). */
export function configPage(): string {
  return expand('zoo.cfg.5', { keys: keySections });
}

function keySections(): string {
  const sections = Object.entries(OPTION_SECTIONS).flatMap(([title, section]) => [
    `.SS ${title.charAt(0)}${title.slice(1).toLowerCase()}`,
    ...Object.values(section).map(keyItem),
  ]);
  const unread = UNREAD_KEYS.map(({ keys, why, isRefused = false }) => {
    const state = isRefused ? 'Refused' : 'No effect here';
    return `.PP\n${keys.map(escapeRoff).join(',\n')}:\n${sentence(`${state}: ${why}`)}`;
  });
  return [...sections, '.SS Other keys of Apache', ...unread].join('\n');
}

function keyItem(option: Option<unknown>): string {
  const { key, defaultText, unit, summary, property, origin } = option;
  const isNumber = /^[\d.-]+$/.test(defaultText);
  const value = isNumber && unit !== '' ? `${defaultText} ${unit}` : defaultText;
  const inUnit = isNumber || unit === '' ? '' : ` In ${unit}.`;
  const lines = [
    `.TP\n.B ${escapeRoff(key)}\n${sentence(`${summary}. Default: ${value}.${inUnit}`)}`,
  ];
  if (origin === 'property' && property !== `zookeeper.${key}`) {
    lines.push(`Only as\n.BR ${escapeRoff(`-D ${property}`)} .`);
  }
  return [...lines, ...statusLines(option)].join('\n');
}

function statusLines({ status, why }: Option<unknown>): string[] {
  switch (status) {
    case 'refused':
      return [sentence(`an error here: ${why}`)];
    case 'ensemble only':
      return ['Only for an ensemble.'];
    case 'no effect':
      return [sentence(`no effect here: ${why}`)];
    default:
      return [];
  }
}
