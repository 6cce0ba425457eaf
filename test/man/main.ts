// Writes the manual pages anew: npm run man.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { PAGES } from './pages.js';

for (const [name, render] of Object.entries(PAGES)) {
  writeFileSync(join(repositoryRoot(), 'man', name), await render());
}
