import type { Route } from '../route.js';
import { ABOUT_ROUTES } from './about-routes.js';
import { CHANGE_ROUTES } from './change-routes.js';
import { ENSEMBLE_ROUTES } from './ensemble-routes.js';
import { EVENT_ROUTES } from './event-routes.js';
import { SLOW_ROUTES } from './slow-routes.js';
import { TRANSFER_ROUTES } from './transfer-routes.js';
import { ZNODE_ROUTES } from './znode-routes.js';

export const ROUTES: readonly Route[] = [
  ...ABOUT_ROUTES,
  ...ENSEMBLE_ROUTES,
  ...SLOW_ROUTES,
  ...ZNODE_ROUTES,
  ...EVENT_ROUTES,
  ...TRANSFER_ROUTES,
  ...CHANGE_ROUTES,
];
