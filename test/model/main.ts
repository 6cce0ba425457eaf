import { parseArgs } from 'node:util';
import { checkModel } from './check-model.js';
import { THEME_NAMES } from './commands.js';

/**
 * Compares the server with the model from the command line:
 *
 *   npm run prove -- model [--runs N] [--seed S] [--theme T]
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    theme: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log(`npm run prove -- model [--runs N] [--seed S] [--theme ${THEME_NAMES.join('|')}]

Compares the server with a naive model in N random runs. Exits with 1 and prints the shrunk run
when they disagree.`);
  process.exit(0);
}

function whole(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name}: not a whole number: ${text}`);
  process.exit(2);
}

const theme = THEME_NAMES.find((name) => name === values.theme);
if (theme === undefined && values.theme !== undefined) {
  console.error(`--theme: unknown: ${values.theme} (expected one of ${THEME_NAMES.join(', ')})`);
  process.exit(2);
}
const seed = whole('seed', values.seed);
const started = performance.now();
const verdict = checkModel({
  runs: whole('runs', values.runs),
  seed,
  ...(theme === undefined ? {} : { theme }),
});
const seconds = ((performance.now() - started) / 1000).toFixed(1);
if (verdict.isHeld) console.log(`${verdict.runs} runs, seed ${seed}: agreed, ${seconds} s`);
else {
  console.error(verdict.report);
  console.error(`disagreed in run ${verdict.runs} of seed ${seed}, after ${seconds} s`);
  process.exitCode = 1;
}
