import type { Scene } from './scene.js';

/** An attack on an ensemble by someone who reaches its ports but has no rights. */
export interface Attack {
  readonly name: string;
  /** One sentence for an operator. */
  readonly about: string;
  /** Attacks, and returns in bounded time. The driver closes the connections. */
  run(scene: Scene): Promise<void>;
  /** The damage, one sentence each, after the ensemble serves again. */
  damage?(scene: Scene): Promise<string[]>;
}
