import { configPage } from './config-page.js';
import { opsPage } from './ops-page.js';
import { serverPage } from './server-page.js';
import { zkshPage } from './zksh-page.js';

/** Every file of `man/`, and what makes it of its prose and the declarations. */
export const PAGES: Readonly<Record<string, () => string | Promise<string>>> = {
  'zkops.1': opsPage,
  'zkserver.8': serverPage,
  'zksh.1': zkshPage,
  'zoo.cfg.5': configPage,
};
