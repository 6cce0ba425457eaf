import { useState } from 'preact/hooks';
import type { About, Differences, Ensemble, Trend } from '../api/shapes.js';
import { ask } from './api.js';
import { Curve } from './curve.js';
import { Findings } from './findings.js';
import { hrefOf } from './href.js';
import { Leaders } from './leaders.js';
import { CommandLine, Fault, Level, Panel, useLoaded } from './parts.js';
import { clock, isNumber, zkopsLine } from './words.js';

/** Curves have at most some hundred points, so not each poll adds one. */
const POLLS_PER_CURVE = 3;

const FIGURES: readonly (readonly [figure: string, title: string])[] = [
  ['latencyMs', 'Latency, ms'],
  ['requestsPerSecond', 'Requests per second'],
  ['writesPerSecond', 'Writes per second'],
  ['outstanding', 'Outstanding requests'],
  ['connections', 'Connections'],
  ['znodes', 'Znodes'],
  ['dataBytes', 'Data of the tree, bytes'],
  ['memoryBytes', 'Memory, bytes'],
  ['diskBytes', 'Snapshots and logs, bytes'],
];

interface Props {
  readonly ensemble: Ensemble;
  readonly about: About;
  readonly polls: number;
}

export function EnsembleView({ ensemble, about, polls }: Props) {
  const { problems, changes, summary, level, time } = ensemble;
  return (
    <div class="stack">
      <section class={`verdict ${level}`} aria-live="polite">
        <Level level={level} />
        <strong id="summary">{summary}</strong>
        <time dateTime={time} title={time}>
          {clock(time)}
        </time>
      </section>
      {problems.length > 0 && (
        <Panel title="Findings">
          <Findings problems={problems} />
        </Panel>
      )}
      <Panel title="Members">
        <MemberTable ensemble={ensemble} />
        <CommandLine line={zkopsLine(['health'], about.members, about)} />
      </Panel>
      <Curves polls={polls} changes={changes} />
      <Panel title="Changes">
        {changes.length === 0 && <p>none</p>}
        <ul class="plain" id="changes">
          {changes.slice(0, 50).map((change) => (
            <li key={`${change.time} ${change.server} ${change.kind} ${change.text}`}>
              <time dateTime={change.time} title={change.time}>
                {clock(change.time, true)}
              </time>{' '}
              <span class={`tag ${change.level}`}>{change.kind}</span> {change.server} {change.text}
            </li>
          ))}
        </ul>
      </Panel>
      <DifferencesPanel />
    </div>
  );
}

function MemberTable({ ensemble: { columns, members } }: Pick<Props, 'ensemble'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table
    <section class="scroll" tabIndex={0} aria-label="members">
      <table>
        <thead>
          <tr>
            <th scope="col">MEMBER</th>
            {columns.map(({ key, title, about }) => (
              <th scope="col" key={key} title={about}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.server} title={member.fault}>
              <th scope="row" class={member.level}>
                <a href={hrefOf('member', member.server)}>{member.server}</a>
              </th>
              {member.cells.map((cell, at) => (
                <td key={columns[at]?.key} class={cellClass(cell)}>
                  {cell.shown}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Numbers end at the same place, so that one sees which is larger. */
function cellClass({ shown, level }: Ensemble['members'][number]['cells'][number]): string {
  return `${isNumber(shown) ? 'number ' : ''}${level ?? ''}`;
}

function Curves({ polls, changes }: Pick<Props, 'polls'> & Pick<Ensemble, 'changes'>) {
  const turn = Math.floor(polls / POLLS_PER_CURVE);
  const { value, error } = useLoaded(() => ask<Trend>('/trend', { minutes: 60 }), [turn]);
  return (
    <Panel title="The last hour">
      <Fault error={error} />
      {value && <Leaders trend={value} changes={changes} />}
      <div class="curves">
        {value &&
          FIGURES.filter(([figure]) => isKnown(value, figure)).map(([figure, title]) => (
            <Curve key={figure} title={title} figure={figure} trend={value} />
          ))}
      </div>
    </Panel>
  );
}

/** Not all servers report every figure. */
function isKnown({ series }: Trend, figure: string): boolean {
  return series.some((one) => one.figure === figure && one.values.some((each) => each !== null));
}

function DifferencesPanel() {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Settings that differ between members</summary>
      {isOpen && <DifferenceTable />}
    </details>
  );
}

function DifferenceTable() {
  const { value, error } = useLoaded(() => ask<Differences>('/differences'), []);
  if (value === undefined) return <Fault error={error} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table
    <section class="scroll" tabIndex={0} aria-label="settings">
      <table>
        <thead>
          <tr>
            <th scope="col">SETTING</th>
            {value.servers.map((server) => (
              <th scope="col" key={server}>
                {server}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {value.rows.map(({ key, values }) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              {values.map((text, at) => (
                <td key={value.servers[at]}>{text ?? '-'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
