/** What this login changed, and its undo. */
import { useState } from 'preact/hooks';
import { safeLine } from '../../protocol/sanitize.js';
import type { ChangeEntry, ChangeList, UndoView } from '../api/shapes.js';
import { ask } from './api.js';
import { curlLine } from './href.js';
import { CommandLine, Fault, Panel, useAction, useLoaded } from './parts.js';
import { ago } from './words.js';

export function ChangesView() {
  const [turn, setTurn] = useState(0);
  const { value, error } = useLoaded(() => ask<ChangeList>('/changes'), [turn]);
  return (
    <Panel title="Your last changes">
      <Fault error={error} />
      {value?.changes.length === 0 && <p>none since the console started</p>}
      <ul class="plain" id="own-changes">
        {value?.changes.map((change) => (
          <Change key={change.id} change={change} onUndone={() => setTurn(turn + 1)} />
        ))}
      </ul>
      <CommandLine line={curlLine('/changes')} />
    </Panel>
  );
}

function Change(props: { readonly change: ChangeEntry; readonly onUndone: () => void }) {
  const { id, time, title, znodes, refusal } = props.change;
  const [plan, setPlan] = useState<UndoView | undefined>(undefined);
  const { error, run } = useAction();
  const undo = async () => {
    setPlan(undefined);
    await ask(`/changes/${id}/undo`, {}, { method: 'POST' });
    props.onUndone();
  };
  return (
    <li>
      <time dateTime={time}>{ago(time, Date.now())}</time> {safeLine(title)} ({znodes}{' '}
      {znodes === 1 ? 'znode' : 'znodes'}){' '}
      {refusal === null ? (
        <button
          type="button"
          onClick={() => run(() => ask<UndoView>(`/changes/${id}`).then(setPlan))}
        >
          Undo …
        </button>
      ) : (
        `cannot be undone: ${refusal}`
      )}
      <Fault error={error} />
      {plan && <Plan plan={plan} onUndo={() => run(undo)} />}
    </li>
  );
}

function Plan({ plan, onUndo }: { readonly plan: UndoView; readonly onUndo: () => void }) {
  const { id, steps, total, conflicts, lost } = plan;
  const reasons = [
    ...conflicts.map((one) => ({ ...one, what: 'changed since' })),
    ...lost.map((one) => ({ ...one, what: 'cannot undo' })),
  ];
  return (
    <div class="conflict">
      <ul class="plain">
        {steps.map(({ path, what, detail }) => (
          <li key={`${what} ${path}`}>
            <span class="tag">{what}</span> {safeLine(path)} {safeLine(detail)}
          </li>
        ))}
        {total > steps.length && <li>… {total - steps.length} more</li>}
        {reasons.map(({ path, what, why }) => (
          <li key={`${what} ${path}`}>
            <span class="tag warning">{what}</span> {safeLine(path)} ({why})
          </li>
        ))}
      </ul>
      <button type="button" disabled={conflicts.length > 0 || total === 0} onClick={onUndo}>
        Undo {total} {total === 1 ? 'step' : 'steps'}
      </button>
      <CommandLine line={curlLine(`/changes/${id}/undo`, 'POST')} />
    </div>
  );
}
