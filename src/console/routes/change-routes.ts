import { integer } from '../api/schema.js';
import { ChangeList, Undone, UndoView } from '../api/shapes.js';
import { type Route, route } from '../route.js';

const id = integer('from /changes');

const changes = route({
  method: 'GET',
  path: '/changes',
  summary: 'Show the last changes of this login, which it may undo',
  answer: ChangeList,
  run: async ({ about, changes }) => ({ value: { changes: changes.list(about.user) } }),
});

const undoPlan = route({
  method: 'GET',
  path: '/changes/{id}',
  summary: 'Show what an undo of a change would do',
  required: { id },
  answer: UndoView,
  problems: [404, 409],
  run: async ({ about, client, changes }, given) => ({
    value: await changes.plan(about.user, given.id, await client()),
  }),
});

const undo = route({
  method: 'POST',
  path: '/changes/{id}/undo',
  summary: 'Undo a change, if no other client changed its znodes since',
  required: { id },
  answer: Undone,
  problems: [404, 409],
  run: async ({ about, client, changes }, given, { note }) => {
    note({ title: changes.titleOf(about.user, given.id) });
    const { steps } = await changes.undo(about.user, given.id, await client());
    return { value: { id: given.id, steps: steps.length } };
  },
});

export const CHANGE_ROUTES: readonly Route[] = [changes, undoPlan, undo];
