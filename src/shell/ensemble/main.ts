import type { EnsembleScreen } from '../../commands/zkserver/ensemble-screen.js';
import { loadInk } from '../terminal/load-ink.js';

export async function openEnsembleScreen(): Promise<EnsembleScreen> {
  const { openTable } = await loadInk(() => import('./ensemble-table.js'));
  const { stdout, stderr } = process;
  return openTable({ stdout: stderr, stderr: stdout });
}
