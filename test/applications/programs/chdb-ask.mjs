// Asks the engine of ClickHouse in this process, and prints a JSON array of its answers.
// Arguments: MODULE FOLDER QUERY... MODULE is chdb, FOLDER has the config.xml.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [chdb, folder, ...queries] = process.argv.slice(2);
const { Session } = createRequire(import.meta.url)(chdb);
const session = new Session(join(folder, 'engine'), {
  connectionArgs: [`--config-file=${join(folder, 'config.xml')}`],
});
const answers = [];
for (const query of queries) {
  answers.push((await session.queryAsync(query, { format: 'TSV' })).text());
}
// An orderly exit would wait for the replicated tables, for minutes.
process.stdout.write(JSON.stringify(answers), () => process.kill(process.pid, 'SIGKILL'));
