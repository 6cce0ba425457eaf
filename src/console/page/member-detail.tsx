import { useState } from 'preact/hooks';
import { safeText } from '../../protocol/sanitize.js';
import type { About, Ensemble, Table, Word } from '../api/shapes.js';
import { ask, urlOf } from './api.js';
import { Findings } from './findings.js';
import { curlLine } from './href.js';
import { CommandLine, Fault, Level, Panel, Tabs, useLoaded } from './parts.js';
import { isNumber, shellWord, zkopsLine } from './words.js';

/** Not a word: the AdminServer of zkserver knows them. */
const SLOW = 'slow-requests';

const WORDS: readonly (readonly [word: string, title: string])[] = [
  ['srvr', 'Server'],
  ['mntr', 'Metrics'],
  ['conf', 'Configuration'],
  ['cons', 'Connections'],
  ['load', 'Load'],
  [SLOW, 'Slow requests'],
  ['dump', 'Sessions'],
  ['wchs', 'Watches'],
  ['wchc', 'Watches by session'],
  ['wchp', 'Watches by path'],
  ['dirs', 'Disk'],
  ['envi', 'Environment'],
];

/** Rows of a table; more are in the text. */
const SHOWN_ROWS = 200;

interface Props {
  readonly server: string;
  readonly ensemble: Ensemble;
  readonly about: About;
}

export function MemberDetail({ server, ensemble, about }: Props) {
  // A click on the chosen word asks again.
  const [{ word, times }, setAsked] = useState({ word: 'srvr', times: 0 });
  const member = ensemble.members.find((each) => each.server === server);
  if (member === undefined) return <Fault error={`${server} is not a member`} />;
  const problems = ensemble.problems.filter(
    (problem) => problem.server === server || problem.servers?.includes(server) === true,
  );
  return (
    <div class="stack detail">
      <Panel title={server}>
        <p>
          <Level level={member.level} /> {member.state} {member.role}
        </p>
        {member.fault && <p>{member.fault}</p>}
        <Findings problems={problems} />
        <dl class="facts">
          {ensemble.columns.map(({ key, title, about: meaning }, at) => (
            <div key={key} title={meaning}>
              <dt>{title}</dt>
              <dd class={member.cells[at]?.level}>{member.cells[at]?.shown}</dd>
            </div>
          ))}
        </dl>
        {member.adminUrl && (
          <>
            <form method="post" action={urlOf(`/members/${encodeURIComponent(server)}/snapshot`)}>
              <button type="submit">Download a snapshot</button>
            </form>
            <CommandLine line={`zkops snapshot save FILE --admin ${shellWord(member.adminUrl)}`} />
          </>
        )}
      </Panel>
      <Panel title="Four-letter words">
        <Tabs
          tabs={WORDS}
          chosen={word}
          onChoice={(chosen) => setAsked({ word: chosen, times: times + 1 })}
        />
        <Answer server={server} word={word} key={`${server} ${word} ${times}`} />
        <CommandLine
          line={
            word === SLOW
              ? curlLine(pathOf(server, word))
              : zkopsLine([word, '-o', 'raw'], member.address, about)
          }
        />
      </Panel>
    </div>
  );
}

function pathOf(server: string, word: string): string {
  return `/members/${encodeURIComponent(server)}/${word === SLOW ? word : `words/${word}`}`;
}

function Answer({ server, word }: { readonly server: string; readonly word: string }) {
  const path = pathOf(server, word);
  const { value, error } = useLoaded(() => ask<Word>(path), [path]);
  return (
    <>
      <Fault error={error} />
      {value?.table && <SortedTable table={value.table} />}
      <pre>{value === undefined ? '…' : safeText(value.text)}</pre>
    </>
  );
}

/** With the slowest connection, the largest number of the last column, first. */
function SortedTable({ table: { titles, rows } }: { readonly table: Table }) {
  const [by, setBy] = useState(titles.length - 1);
  const sorted = rows.toSorted((a, b) => compareCells(a[by], b[by])).slice(0, SHOWN_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table
    <section class="scroll" tabIndex={0} aria-label="rows">
      <table>
        <thead>
          <tr>
            {titles.map((title, at) => (
              <th scope="col" key={title} aria-sort={at === by ? 'other' : 'none'}>
                <button type="button" aria-pressed={at === by} onClick={() => setBy(at)}>
                  {title}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.join()}>
              {row.map((cell, at) => (
                <td key={titles[at]} class={isNumber(cell ?? '') ? 'number' : ''}>
                  {safeText(cell ?? '-')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN_ROWS && <p>{`${SHOWN_ROWS} of ${rows.length} rows`}</p>}
    </section>
  );
}

/** Numbers from the largest, texts in the order of the alphabet, and unknown values at the end. */
function compareCells(a: string | null = null, b: string | null = null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const difference = Number(b) - Number(a);
  return Number.isNaN(difference) ? a.localeCompare(b) : difference;
}
