import { type CommandDeclaration, usageOf } from './engine/command.js';
import { flagsOf } from './engine/help-text.js';
import { EXIT_CODES } from './zksh-help.js';
import { ZKSH } from './zksh-options.js';

const WORDS = `Words are split by blanks, commands by
.B ;
and line ends;
.B #
at the start of a word begins a comment.
Between single quotes every character stands for itself.
Between double quotes, and outside of quotes, these are escapes:
.BR \\\\en ", " \\\\et ", " \\\\er ", " \\\\e0 ", " \\\\e\\\\e ", " \\\\e\\(dq ", " \\\\e\\(aq ,
.BI \\\\ex HH
for one byte, and
.BI \\\\eu HHHH
or
.BI \\\\eu{ H... }
for one character; outside of quotes a backslash also takes the meaning from any blank or sign.
A backslash at the end of a line joins it with the next one.
A word that begins with a dash is an option unless it is quoted, a negative number, or stands behind
.BR \\-\\- .
Data written as
.BI @ FILE
is the content of a file, and
.B \\-
is all of standard input, byte for byte; in quotes both stand for themselves.
.PP
Behind a
.B |
that stands where a word could begin, the rest of the line is run by
.BR sh ,
with the result as its standard input. That is so at the prompt alone: a script, and
.BR \\-c ,
may hold data from elsewhere, and that is no line for a shell.`;

const PATTERNS = `Where a command says so, a path may be a pattern of the znodes that are there:
.B *
is any characters of a name,
.B ?
one,
.B [a\\-z]
one of these,
.B [!a\\-z]
none of these;
.B **
as a whole name is any number of names, and at the end at least one, so that
.B /a/**
is all below /a, and not /a itself;
.B {a,b}
is either, and each is a path or pattern of its own, which may hold slashes.
.PP
A znode that has the very name typed is meant before any other. In quotes, or behind a backslash, a sign is
nothing but itself. Where no znode fits, the command does nothing, with exit code 4, and so it is where one
of several in braces fits none. A pattern whose first name is one does not find the server's own /zookeeper.
.PP
A command that changes something says how many znodes fit, with a sample, and asks; in a script it has to be given
.BR \\-\\-yes ,
and
.B \\-\\-dry\\-run
only tells. What fails on one znode is named at the end, after the others, and makes the exit code 9.
As text, each result stands under its path; in JSON it is a document of its own, or a row of one, that holds the path.`;

const PROFILES = `The configuration file is JSON:
.PP
.nf
{"profiles": {"prod": {
  "connect": "zks://zk1,zk2,zk3/app",
  "cacert": "ca.pem",
  "auth\\-file": "prod.auth",
  "protected": true
}}, "aliases": {"ll": "ls \\-l"}, "pager": "less \\-S"}
.fi
.PP
A profile may say connect, client, timeout, readonly, protected, auth\\-file, properties, cacert, cert, key
and servername, as the command line does, which goes before it.
Names of files count from the folder of the configuration; passwords are never in it.
Where a profile is protected, each change is asked about at the prompt, and refused in a script
without
.BR \\-\\-allow\\-changes .
Aliases are there at every prompt, as
.B alias
makes them, and in no script.
The pager shows what is longer than the screen at the prompt; false is none.
The prompt tells whether the server is leader, follower, observer or standalone, where it answers
.B srvr
on a second connection, and whether it can be written (rw, ro); \\(dqprompt\\-role\\(dq: false ends both.`;

/** zksh(1), made of what the command line and the commands declare. */
export function manPage(commands: readonly CommandDeclaration[]): string {
  return [
    '.\\" Made of the declarations in src/commands: UPDATE_GOLDEN=1 npm test writes it anew.',
    '.TH ZKSH 1 "" zksh "User Commands"',
    '.SH NAME',
    `zksh \\- ${escapeRoff(ZKSH.summary)}`,
    '.SH SYNOPSIS',
    `.B ${escapeRoff(usageOf(ZKSH))}`,
    '.SH DESCRIPTION',
    text(ZKSH.description),
    'A script stops at its first error.',
    'The session is always closed at the end, so that its ephemerals go at once.',
    '.PP',
    `.I connect\nis ${escapeRoff(ZKSH.args.connect.summary)}.`,
    '.SH OPTIONS',
    optionList(ZKSH),
    '.SH SYNTAX',
    WORDS,
    '.SH PATTERNS',
    PATTERNS,
    '.SH COMMANDS',
    'Each command has the option',
    '.BR \\-\\-help ,',
    'which explains the command.',
    ...commands.flatMap((command) => [command, ...(command.subcommands ?? [])]).map(commandSection),
    '.SH COMPLETION',
    'In the shell that zksh is started from, TAB completes its options, and within',
    '.B \\-c',
    'its commands, after',
    '.BR "source <(zksh completion bash)" ,',
    '.B "zksh completion fish | source"',
    'or, for zsh,',
    '.B "zksh completion zsh > DIR/_zksh"',
    'in a folder of fpath.',
    '.SH EXIT STATUS',
    ...EXIT_CODES.map(([code, meaning]) => `.TP\n.B ${code}\n${text(capital(meaning))}.`),
    '.SH ENVIRONMENT',
    '.TP',
    '.B ZKSH_AUTH',
    'What',
    '.B \\-\\-auth',
    'says, without showing it to everyone who lists processes.',
    '.TP',
    '.B ZKSH_KEY_PASSPHRASE',
    'What the private key of',
    '.B \\-\\-key',
    'is under.',
    '.TP',
    '.B ZKSH_CONFIG',
    'The configuration file, instead of',
    '.IR ~/.config/zksh/config.json .',
    '.TP',
    '.B ZKSH_DNS',
    'The name servers that know what srv:// names, as address[:port],...; default: those of the system.',
    '.SH PROFILES',
    PROFILES,
    '.SH EXAMPLES',
    ...ZKSH.examples.map(example),
    '.SH SEE ALSO',
    '.BR zkops (1),',
    '.BR zkserver (8)',
    '',
  ].join('\n');
}

function commandSection(command: CommandDeclaration): string {
  const { aliases, description, summary } = command;
  const parts = [`.SS ${escapeRoff(usageOf(command))}`, `${text(capital(summary))}.`];
  if (aliases !== undefined) parts.push(`Also called ${aliases.map(escapeRoff).join(', ')}.`);
  if (description !== undefined) parts.push(text(description));
  if (command.subcommands !== undefined) return parts.join('\n');
  const args = Object.entries(command.args).map(([name, spec]) => item('I', name, spec.summary));
  parts.push(...args, optionList(command));
  if (command.examples.length > 0) parts.push('.PP', ...command.examples.map(example));
  return parts.filter((part) => part !== '').join('\n');
}

function optionList({ options }: CommandDeclaration): string {
  return Object.entries(options)
    .map(([name, spec]) => item('B', flagsOf(name, spec), spec.summary))
    .join('\n');
}

function item(font: 'B' | 'I', term: string, meaning: string): string {
  return `.TP\n.${font} ${escapeRoff(term)}\n${text(capital(meaning))}.`;
}

function example({ line, summary }: { readonly line: string; readonly summary: string }): string {
  return `.TP\n.B ${escapeRoff(line)}\n${text(capital(summary))}.`;
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** A line that begins with a dot or a quote would be a request. */
function text(sentence: string): string {
  return escapeRoff(sentence).replace(/^(?=[.'])/, '\\&');
}

function escapeRoff(plain: string): string {
  return plain
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/'/g, '\\(aq')
    .replace(/"/g, '\\(dq');
}
