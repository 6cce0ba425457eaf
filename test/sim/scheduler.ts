/** A task with its time. */
interface Task {
  readonly atMs: number;
  /** Breaks ties: the task that was scheduled first runs first. */
  readonly order: number;
  readonly run: () => void;
}

export interface Timer {
  cancel(): void;
}

/** Simulated time: a heap of tasks. Nothing else moves the clock, so a run repeats exactly. */
export class Scheduler {
  /** Milliseconds since the simulation began. */
  nowMs = 0;
  /** The number of tasks run. */
  steps = 0;
  private readonly heap: Task[] = [];
  private asked = 0;

  later(delayMs: number, run: () => void): Timer {
    let isCancelled = false;
    this.push({
      atMs: this.nowMs + Math.max(0, delayMs),
      order: this.asked++,
      run: () => {
        if (!isCancelled) run();
      },
    });
    return {
      cancel: () => {
        isCancelled = true;
      },
    };
  }

  /** Runs the next task. Returns false if the heap is empty. */
  step(): boolean {
    const task = this.pop();
    if (task === undefined) return false;
    this.nowMs = task.atMs;
    this.steps++;
    task.run();
    return true;
  }

  private push(task: Task): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(task);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(task, heap[parent] as Task)) break;
      heap[at] = heap[parent] as Task;
      at = parent;
    }
    heap[at] = task;
  }

  private pop(): Task | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Task)) child++;
      if (!isBefore(heap[child] as Task, last)) break;
      heap[at] = heap[child] as Task;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** Resolves when no promise has work left. */
export function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
