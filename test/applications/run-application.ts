/** One application on one ensemble, with all its kills. */
import type { Application, Outcome } from './application.js';
import { type Kind, startEnsemble } from './ensemble.js';

/** An application that does not continue is a problem of the outcome. */
export async function runApplication(
  { start }: Application,
  kind: Kind,
  kills: number,
): Promise<Outcome> {
  const ensemble = await startEnsemble(kind);
  try {
    const running = await start(ensemble);
    try {
      await running.continues();
      for (let i = 0; i < kills; i++) {
        await ensemble.killLeader();
        await running.continues();
      }
      await ensemble.roll(() => running.continues());
      return await running.finish();
    } finally {
      await running.close();
    }
  } catch (error) {
    const problems = [`${String(error)}\n${ensemble.output()}`];
    return { problems, counts: {}, durations: {} };
  } finally {
    await ensemble.close();
  }
}
