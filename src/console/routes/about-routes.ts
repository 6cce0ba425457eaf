import { statusOf } from '../../commands/ensemble/status.js';
import { ExitCode } from '../../commands/program/exit-status.js';
import { About, Probe } from '../api/shapes.js';
import { HttpProblem } from '../problem.js';
import { type Route, route } from '../route.js';

const about = route({
  method: 'GET',
  path: '',
  summary: 'Show the console: its version, its servers, and the login',
  answer: About,
  run: async ({ about }) => ({ value: about }),
});

const openapi = route({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Show this document',
  answer: undefined,
  run: async ({ openApi }) => ({ value: openApi() }),
});

const live = route({
  method: 'GET',
  path: '/live',
  summary: 'Check that the console runs: for a liveness probe',
  answer: Probe,
  isOpen: true,
  run: async () => ({ value: { status: 'live' } }),
});

const ready = route({
  method: 'GET',
  path: '/ready',
  summary: 'Check that the ensemble serves: for a readiness probe',
  answer: Probe,
  isOpen: true,
  run: async ({ poller }) => {
    const { verdict, members } = await poller.latest();
    const { level } = verdict;
    // A whitelist may hide the figures of an ensemble that serves.
    const isServing = members.some((member) => statusOf(member).isServing);
    if (level !== 'critical' && isServing) return { value: { status: 'ready' } };
    throw new HttpProblem(503, 'NOTREADY', `the ensemble is ${level}`, {
      exitCode: ExitCode.connection,
    });
  },
});

export const ABOUT_ROUTES: readonly Route[] = [about, openapi, live, ready];
