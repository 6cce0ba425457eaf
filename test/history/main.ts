/** `npm run prove -- history FILE…`: judges histories in the format of FORMAT.md. */
import { readFileSync } from 'node:fs';
import { parseHistory } from './format.js';
import { judge } from './judge.js';

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('history: no file: (expected npm run prove -- history FILE…)');
  process.exitCode = 2;
}
for (const file of files) {
  const history = parseHistory(readFileSync(file, 'utf8'));
  const verdicts = judge(history);
  for (const { property, message } of verdicts) console.log(`${file}: ${property}: ${message}`);
  console.log(`${file}: ${history.length} lines, ${verdicts.length} violations`);
  if (verdicts.length > 0) process.exitCode = 1;
}
