// Writes docs/errors.md, the text of every error: npm run errors
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorsPage } from '../dist/test/support/pages/errors-page.js';
import { readSources } from '../dist/test/support/tidy/source-file.js';

writeFileSync(
  fileURLToPath(new URL('../docs/errors.md', import.meta.url)),
  errorsPage(readSources('src')),
);
