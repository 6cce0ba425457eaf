// Writes the manual pages anew: npm run man.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPATIBILITY_PAGE, compatibilityPage } from '../compatibility/page.js';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { PAGES } from './pages.js';

for (const [name, render] of Object.entries(PAGES)) {
  writeFileSync(join(repositoryRoot(), 'man', name), await render());
}
writeFileSync(join(repositoryRoot(), COMPATIBILITY_PAGE), compatibilityPage());
