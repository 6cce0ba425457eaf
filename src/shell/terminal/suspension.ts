// Job control. Ctrl-Z, and SIGTSTP from elsewhere, stop the program after the terminal is as the
// outer shell expects it. When the program continues, also after SIGSTOP, which no program can
// catch, it takes the terminal again and draws its screen.

export interface Suspension {
  /** For Ctrl-Z: stops the whole job, such as a script that runs this program. */
  stopJob(): void;
  close(): void;
}

/** @param release gives the terminal back while `use` runs, and draws the screen again after it */
export function openSuspension(release: (use: () => void) => void): Suspension {
  const onStop = () => stop(process.pid);
  const onContinue = () => release(() => undefined);
  const listen = () => {
    process.on('SIGTSTP', onStop);
    process.on('SIGCONT', onContinue);
  };
  const close = () => {
    process.off('SIGTSTP', onStop);
    process.off('SIGCONT', onContinue);
  };
  /** @param target a process, or 0 for all processes of this job */
  const stop = (target: number) => {
    release(() => {
      // Without a listener, the signal stops the process here until it continues. A job that no
      // shell could continue does not stop.
      close();
      process.kill(target, 'SIGTSTP');
      listen();
    });
  };
  listen();
  return { stopJob: () => stop(0), close };
}
