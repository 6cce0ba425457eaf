// Performs the effects of shell-state.ts.

import { CommandError } from '../commands/program/command-error.js';
import { ExitCode } from '../commands/program/exit-status.js';
import { inBackground } from '../commands/program/in-background.js';
import type { Renderer } from '../commands/results/render.js';
import type { Vocabulary } from '../commands/zksh/completing/vocabulary.js';
import type { CommandContext } from '../commands/zksh/engine/command.js';
import { plainReport } from '../commands/zksh/engine/error-report.js';
import { createContext } from '../commands/zksh/running/command-context.js';
import { runLine } from '../commands/zksh/running/run-line.js';
import type { SessionEvent, ShellSession } from '../commands/zksh/session/shell-session.js';
import { BrowserDriver } from './browser/browser-driver.js';
import { Completer } from './line/completer.js';
import { echoOf, printed } from './line/echo-line.js';
import type { HistoryFile } from './line/history.js';
import { actionOf, type KeyMode } from './line/keymap.js';
import { type Connection, serversOf } from './line/prompt.js';
import { PAGER_LEFT, type Paging, ResultPrinter } from './result-printer.js';
import {
  initialState,
  type ShellEffect,
  type ShellEvent,
  type ShellState,
  stepShell,
} from './shell-state.js';
import type { Key } from './terminal/key-decoder.js';
import { LentTerminal } from './terminal/lent-terminal.js';
import { Scrollback } from './terminal/scrollback.js';
import type { Span } from './terminal/theme.js';

// Performs the effects of shell-state.ts.

/** A command that runs longer shows a status. */
const SLOW_MS = 150;

export interface ShellDriverOptions {
  readonly session: ShellSession;
  readonly renderer: Renderer;
  readonly pipeRenderer: Renderer;
  readonly vocabulary: Vocabulary;
  readonly historyFile: HistoryFile | undefined;
  readonly paging?: Paging | undefined;
  readonly isRoleShown?: boolean;
  readonly isVi?: boolean;
  readonly columns?: () => number;
}

export class ShellDriver {
  readonly session: ShellSession;
  readonly scrollback = new Scrollback();
  private readonly options: ShellDriverOptions;
  private readonly completer: Completer;
  private readonly listeners = new Set<() => void>();
  private readonly left: Promise<void>;
  private resolveLeft: () => void = () => undefined;
  private current: ShellState;
  private running: AbortController | undefined;
  private answer: ((isYes: boolean, text?: string) => void) | undefined;
  private openBrowser: BrowserDriver | undefined;
  readonly terminal: LentTerminal;
  private readonly printer: ResultPrinter;
  private readonly history: HistoryKeeper;
  private readonly view: ConnectionView;

  constructor(options: ShellDriverOptions) {
    this.options = options;
    this.session = options.session;
    const onRole = options.isRoleShown === true ? () => this.tellConnection() : undefined;
    this.view = new ConnectionView(options.session, onRole);
    const connection = { ...this.view.connection, state: 'connecting' as const };
    this.current = initialState(options.vocabulary, connection, options.isVi);
    this.terminal = new LentTerminal(this.scrollback, () => this.tellListeners());
    const parts = { ...options, terminal: this.terminal, scrollback: this.scrollback };
    this.printer = new ResultPrinter(parts, (event) => this.dispatch(event));
    this.history = new HistoryKeeper(options.historyFile, (event) => this.dispatch(event));
    this.completer = new Completer(options.session, options.vocabulary);
    this.left = new Promise((resolve) => {
      this.resolveLeft = resolve;
    });
  }

  get state(): ShellState {
    return this.current;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get browser(): BrowserDriver | undefined {
    return this.openBrowser;
  }

  press(key: Key): void {
    if (this.terminal.isLent) return;
    if (this.openBrowser !== undefined) {
      this.openBrowser.press(key);
      return;
    }
    const action = actionOf(key, this.mode());
    if (action !== undefined) this.dispatch({ type: 'key', action });
  }

  print(spans: readonly Span[]): void {
    this.dispatch({ type: 'output', spans });
  }

  async run(): Promise<void> {
    const unsubscribe = this.session.subscribe((event) => this.hear(event));
    try {
      await this.history.load();
      inBackground(this.session.connect(), (error) => {
        // A running line waits for the same connection, and reports the error.
        if (this.running === undefined) this.report(error);
      });
      await this.left;
      await this.scrollback.drained();
    } finally {
      unsubscribe();
      this.view.close();
      this.running?.abort();
    }
  }

  dispatch(event: ShellEvent): void {
    const before = this.current;
    const { state, effects } = stepShell(before, event);
    this.current = state;
    if (state !== before) this.tellListeners();
    for (const effect of effects) this.perform(effect);
  }

  private readonly report = (error: unknown): void => this.printer.error(plainReport(error));

  private mode(): KeyMode {
    if (this.current.question !== undefined) return 'question';
    if (this.current.line.search !== undefined) return 'search';
    return this.current.vi !== undefined && this.current.secret === undefined ? 'vi' : 'line';
  }

  private perform(effect: ShellEffect): void {
    switch (effect.type) {
      case 'print':
        this.scrollback.push(printed(effect, this.options.columns));
        return;
      case 'echo':
        this.scrollback.push(
          echoOf(effect.line, effect.connection, this.options.vocabulary, this.session),
        );
        return;
      case 'run':
        inBackground(this.runLine(effect.line), this.report);
        return;
      case 'interrupt':
        this.interrupt();
        return;
      case 'answer':
        this.answer?.(effect.isYes, effect.text);
        return;
      case 'complete':
        inBackground(this.complete(effect.text, effect.cursor), this.report);
        return;
      case 'store':
        inBackground(this.history.store(effect.line), this.report);
        return;
      case 'clear-screen':
        this.scrollback.clearScreen();
        return;
      case 'leave':
        this.openBrowser?.leave();
        this.resolveLeft();
        return;
    }
  }

  private async runLine(line: string): Promise<void> {
    const running = new AbortController();
    this.running = running;
    const slow = setTimeout(() => this.dispatch({ type: 'slow' }), SLOW_MS);
    let isExit = false;
    const printer = this.printer;
    printer.begin(line, running);
    try {
      for await (const outcome of runLine(this.context(running.signal), line)) {
        if (outcome.kind === 'error') {
          await printer.finish();
          if (running.signal.reason !== PAGER_LEFT) printer.error(outcome.error, line);
          break;
        }
        isExit = outcome.result.kind === 'exit';
        if (isExit) break;
        await printer.result(outcome.result);
        await printer.finish();
        await this.scrollback.drained();
      }
    } catch (error) {
      // A bug, for example in drawing a result: the shell continues.
      this.printer.error(plainReport(error));
    } finally {
      await printer.finish();
      clearTimeout(slow);
      this.completer.forget();
      this.running = undefined;
      this.answer = undefined;
      this.dispatch({ type: 'finished', isExit });
    }
  }

  private context(signal: AbortSignal): CommandContext {
    return createContext({
      session: this.session,
      signal,
      isInteractive: true,
      emit: async (result) => {
        if (!signal.aborted) await this.printer.result(result);
        return this.scrollback.roomy();
      },
      notify: (result) => {
        this.completer.forget();
        this.printer.watch(result);
      },
      clearScreen: () => {
        this.printer.release();
        this.scrollback.clearScreen();
      },
      browse: (path) => this.browse(path, signal),
      renderForPipe: (result) => this.options.pipeRenderer.result(result),
      lendTerminal: (use) => {
        this.printer.release();
        return this.terminal.lend(use);
      },
      confirm: (question) => this.confirm(question, signal),
      askSecret: (question) =>
        new Promise((resolve) => {
          this.printer.release();
          this.answer = (_, text = '') => resolve(text);
          this.dispatch({ type: 'secret-asked', question });
        }),
      readInput: () => {
        throw new CommandError('standard input is not available at the prompt', {
          code: 'USAGE',
          exitCode: ExitCode.usage,
          hint: 'type the value, or read it from a file: @file',
        });
      },
    });
  }

  private confirm(question: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted || this.terminal.isLent) return resolve(false);
      this.printer.release();
      this.answer = resolve;
      signal.addEventListener('abort', () => resolve(false), { once: true });
      this.dispatch({ type: 'asked', question });
    });
  }

  private async browse(path: string, signal: AbortSignal): Promise<void> {
    const browser = new BrowserDriver(this.session, this.session.requireClient(), path);
    signal.addEventListener('abort', () => browser.leave(), { once: true });
    this.showBrowser(browser);
    await browser.left;
    this.showBrowser(undefined);
  }

  private showBrowser(browser: BrowserDriver | undefined): void {
    this.openBrowser = browser;
    this.tellListeners();
  }

  private tellListeners(): void {
    for (const listener of this.listeners) listener();
  }

  private interrupt(): void {
    this.running?.abort();
    const lines = this.scrollback.drop();
    if (lines > 0) this.print([{ text: `… ${lines} more lines not shown`, tone: 'dim' }]);
  }

  private hear(event: SessionEvent): void {
    if (event.kind !== 'path') this.completer.forget();
    this.view.hear(event);
    this.tellConnection(event.kind === 'state' ? event.reason?.message : undefined);
  }

  private tellConnection(reason?: string): void {
    const { connection } = this.view;
    const why = reason === undefined ? {} : { reason };
    this.dispatch({ type: 'connection', connection, ...why });
  }

  private async complete(text: string, cursor: number): Promise<void> {
    const completion = await this.completer.complete(text, cursor);
    this.dispatch({ type: 'completed', text, cursor, completion });
  }
}

class ConnectionView {
  private readonly session: ShellSession;
  private readonly role: ServerRole | undefined;
  /** Shown while disconnected. */
  private lastServer: string | undefined;

  /** @param onRole called when the server's role is known; undefined does not query it */
  constructor(session: ShellSession, onRole: (() => void) | undefined) {
    this.session = session;
    this.role = onRole === undefined ? undefined : new ServerRole(session, onRole);
  }

  get connection(): Connection {
    const { client, target, chroot, cwd, state } = this.session;
    this.lastServer = client?.server ?? this.lastServer;
    const server = this.lastServer ?? serversOf(target);
    return { server, state, chroot, cwd, ...this.role?.shown };
  }

  hear(event: SessionEvent): void {
    if (event.kind === 'client') this.lastServer = undefined;
    if (event.kind !== 'path') this.role?.refresh();
  }

  close(): void {
    this.role?.close();
  }
}

/** Queried after each connect, because a server closes its connections when its role changes. */
export class ServerRole {
  private readonly session: ShellSession;
  private readonly onLearned: () => void;
  private asking: AbortController | undefined;
  private role: string | undefined;

  constructor(session: ShellSession, onLearned: () => void) {
    this.session = session;
    this.onLearned = onLearned;
  }

  get shown(): Pick<Connection, 'role' | 'access'> {
    const { state, isReadOnly } = this.session;
    if (state !== 'connected') return {};
    const access = isReadOnly ? 'ro' : 'rw';
    return this.role === undefined ? { access } : { role: this.role, access };
  }

  refresh(): void {
    this.close();
    this.role = undefined;
    if (this.session.state === 'connected') inBackground(this.ask(), () => undefined);
  }

  close(): void {
    this.asking?.abort();
    this.asking = undefined;
  }

  private async ask(): Promise<void> {
    const asking = new AbortController();
    this.asking = asking;
    const { askServer } = await import('../commands/zksh/session/ask-server.js');
    const answer = await askServer(this.session, asking.signal);
    if (this.asking !== asking) return;
    this.asking = undefined;
    this.role = answer?.mode;
    if (this.role !== undefined) this.onLearned();
  }
}

/** Without a file, nothing is stored. */
class HistoryKeeper {
  private readonly file: HistoryFile | undefined;
  private readonly dispatch: (event: ShellEvent) => void;
  private hasFailed = false;

  constructor(file: HistoryFile | undefined, dispatch: (event: ShellEvent) => void) {
    this.file = file;
    this.dispatch = dispatch;
  }

  async load(): Promise<void> {
    try {
      const entries = await this.file?.load();
      if (entries !== undefined) this.dispatch({ type: 'history', entries });
    } catch (error) {
      this.fail(error);
    }
  }

  async store(line: string): Promise<void> {
    try {
      await this.file?.append(line);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Reports only the first failure. */
  private fail(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    const reason = error instanceof Error ? error.message : String(error);
    const text = `history is not saved: ${reason}`;
    this.dispatch({ type: 'output', spans: [{ text, tone: 'busy' }] });
  }
}
