import type { ReactNode } from 'react';
import { type Mount, type MountOptions, mountInk, type ViewProps } from '../terminal/mount-ink.js';
import { Rows } from '../terminal/rows.js';
import type { TopDriver } from './top-driver.js';
import { topScreen } from './top-screen.js';
import type { TopState } from './top-state.js';

export function TopTable({ state, size }: ViewProps<TopState>): ReactNode {
  return <Rows rows={topScreen(state, size)} />;
}

export function openTop(driver: TopDriver, options?: MountOptions): Mount {
  return mountInk(driver, TopTable, options);
}
