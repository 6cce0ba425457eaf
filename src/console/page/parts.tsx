import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './api.js';

const MARKS: Readonly<Record<string, string>> = {
  healthy: '✓',
  warning: '!',
  critical: '✗',
  unknown: '?',
};

/** With a sign and a word, not only a color. */
export function Level({ level }: { readonly level: string }) {
  return (
    <span class={`level ${level}`}>
      <span aria-hidden="true">{MARKS[level] ?? '?'}</span> {level}
    </span>
  );
}

/** The command that does the same as the page. */
export function CommandLine({ line }: { readonly line: string }) {
  const [state, setState] = useState('copy');
  const code = useRef<HTMLElement>(null);
  const copy = async () => setState(await copied(line, code.current));
  return (
    <div class="command">
      <code ref={code}>{line}</code>
      <button type="button" onClick={copy} aria-label={`${state} ${line}`}>
        {state}
      </button>
    </div>
  );
}

/** A page without TLS has no clipboard: its older command, or else the keys of the user, copy. */
async function copied(line: string, place: HTMLElement | null): Promise<string> {
  try {
    await navigator.clipboard.writeText(line);
    return 'copied';
  } catch {
    if (place !== null) getSelection()?.selectAllChildren(place);
    return document.execCommand('copy') ? 'copied' : 'selected: press Ctrl+C';
  }
}

export function Fault({ error }: { readonly error: unknown }) {
  if (error === undefined) return null;
  return (
    <p class="fault" role="alert">
      {messageOf(error)}
    </p>
  );
}

export function Panel(props: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="panel">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

interface TabsProps<T extends string> {
  readonly tabs: readonly (readonly [value: T, title: string])[];
  readonly chosen: T;
  readonly onChoice: (value: T) => void;
  readonly children?: ComponentChildren;
}

/** Buttons, one of which is pressed. */
export function Tabs<T extends string>({ tabs, chosen, onChoice, children }: TabsProps<T>) {
  return (
    <div class="tabs">
      {tabs.map(([value, title]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoice(value)}
        >
          {title}
        </button>
      ))}
      {children}
    </div>
  );
}

/** Runs work of a button, and keeps its error until the next one. */
export function useAction() {
  const [error, setError] = useState<unknown>(undefined);
  const run = (work: () => Promise<unknown>) => {
    setError(undefined);
    work().catch(setError);
  };
  return { error, run };
}

interface EditableProps {
  readonly title: string;
  readonly isAllowed: boolean;
  readonly onEnd: () => void;
  readonly edit: (end: () => void) => ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A button that shows a form instead of the children. It has the focus again after the form. */
export function Editable({ title, isAllowed, onEnd, edit, children }: EditableProps) {
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hasEdited = useRef(false);
  useEffect(() => {
    if (!isEditing && hasEdited.current) button.current?.focus();
    hasEdited.current = isEditing;
  }, [isEditing]);
  const end = () => {
    setEditing(false);
    onEnd();
  };
  if (isEditing) return edit(end);
  return (
    <>
      {children}
      {isAllowed && (
        <button type="button" ref={button} onClick={() => setEditing(true)}>
          {title}
        </button>
      )}
    </>
  );
}

interface FieldProps {
  readonly title: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function TextField(props: FieldProps & { readonly isRequired?: boolean }) {
  const { title, value, onValue, isRequired = false } = props;
  return (
    <label>
      {title}
      <input
        type="text"
        value={value}
        required={isRequired}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  );
}

/** Its title is for screen readers only. */
export function TextArea(
  props: FieldProps & { readonly rows: number; readonly isFocused?: boolean },
) {
  const { title, value, onValue, rows, isFocused = false } = props;
  const place = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFocused) place.current?.focus();
  }, []);
  return (
    <textarea
      ref={place}
      aria-label={title}
      rows={rows}
      value={value}
      spellcheck={false}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}

interface ChoiceProps extends FieldProps {
  readonly choices: readonly (readonly [value: string, title: string])[];
}

export function Choice({ title, value, onValue, choices }: ChoiceProps) {
  return (
    <label>
      {title}
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {choices.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
}

/** Loads again when a key changes; keeps the old value meanwhile. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: readonly unknown[]) {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, error: undefined });
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setLoaded({ value, error: undefined });
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setLoaded(({ value }) => ({ value, error }));
      },
    );
    return () => stop.abort();
  }, keys);
  return loaded;
}
