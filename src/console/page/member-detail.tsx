import { useState } from 'preact/hooks';
import { safeText } from '../../protocol/sanitize.js';
import type { Ensemble, Word } from '../api/shapes.js';
import { ask } from './api.js';
import { Findings } from './findings.js';
import { CommandLine, Fault, Level, Panel, useLoaded } from './parts.js';

const WORDS: readonly (readonly [word: string, title: string])[] = [
  ['srvr', 'Server'],
  ['mntr', 'Metrics'],
  ['conf', 'Configuration'],
  ['cons', 'Connections'],
  ['dump', 'Sessions'],
  ['wchs', 'Watches'],
  ['dirs', 'Disk'],
  ['envi', 'Environment'],
];

interface Props {
  readonly server: string;
  readonly ensemble: Ensemble;
}

export function MemberDetail({ server, ensemble }: Props) {
  const [word, setWord] = useState('srvr');
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
          {ensemble.columns.map(({ key, title }, at) => (
            <div key={key}>
              <dt>{title}</dt>
              <dd class={member.cells[at]?.level}>{member.cells[at]?.shown}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <Panel title="Four-letter words">
        <div class="tabs">
          {WORDS.map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === word}
              onClick={() => setWord(name)}
            >
              {title}
            </button>
          ))}
        </div>
        <Answer server={server} word={word} key={`${server} ${word}`} />
        <CommandLine line={`zkops ${word} --servers ${server} --all`} />
      </Panel>
    </div>
  );
}

function Answer({ server, word }: { readonly server: string; readonly word: string }) {
  const path = `/members/${encodeURIComponent(server)}/words/${word}`;
  const { value, error } = useLoaded(() => ask<Word>(path), [path]);
  return (
    <>
      <Fault error={error} />
      <pre>{value === undefined ? '…' : safeText(value.text)}</pre>
    </>
  );
}
