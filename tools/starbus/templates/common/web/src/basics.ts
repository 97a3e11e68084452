/** What game.ts is made with, and what becomes of its requests. Knows no page. */
import type { Outcome, Saved, Transports } from 'starbus-client';

/** settings.json of the page. */
export interface Settings {
  /** ws://host:port/, or wss:// where the gate has a certificate. */
  readonly gates: readonly string[];
}
export interface Login {
  /** An account that exists, or a new one. */
  readonly method: 'password' | 'create';
  readonly account: string;
  readonly password: string;
}
export interface Options {
  /** Other than the WebSockets of a browser. */
  readonly transports?: Transports;
  /** Of an earlier Game: comes back without a password. */
  readonly saved?: Saved | undefined;
}

/** What a person may read of a request that was not done. */
export function explain(outcome: Outcome): string {
  switch (outcome.fate) {
    case 'replied':
      return 'not now';
    case 'refused': // an Error of starbus: its code, and its text
      return `refused ${outcome.refusal?._2 ?? ''}`;
    case 'failed':
      return `${outcome.name} ${outcome.text}`;
    case 'not_begun':
      return 'was not begun; try again';
    default:
      return 'may have been done: look at what is shown';
  }
}
