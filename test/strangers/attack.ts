import type { Scene } from './scene.js';

/** Something that somebody without any rights can do to an ensemble whose ports are reached. */
export interface Attack {
  readonly name: string;
  /** One sentence for an operator. */
  readonly about: string;
  /** Does it, and returns in bounded time. Connections are left to the driver. */
  run(scene: Scene): Promise<void>;
  /** What it must not have reached, a sentence each, once the ensemble serves again. */
  damage?(scene: Scene): Promise<string[]>;
}
