import { serverOf } from '../../ensemble/member.js';
import { serverData } from '../../ensemble/server-data.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import { SERVER_COLUMNS } from './srvr.js';

export const stat: OpsVerb = {
  name: 'stat',
  summary: 'Show the same as srvr; with --all, also the clients of every member',
  words: ['stat', 'srvr'],
  judge: 'ensemble',
  columns: SERVER_COLUMNS,
  details: {
    keys: ['client', 'queued', 'received', 'sent'],
    rows: (member) =>
      (serverOf(member)?.clients ?? []).map(({ remote, queued, received, sent }) => [
        remote,
        queued,
        received,
        sent,
      ]),
  },
  data: (member) => ({
    ...serverData(member),
    clients: serverOf(member)?.clients.map(({ fields: _, ...client }) => client),
  }),
};
