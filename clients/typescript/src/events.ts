/** What goes into a Session and comes out of it. Plain values. */
import type { Concluded } from './requests.js';
import type * as wire from './wire.js';

/** Proves who the player is. The session forgets it once it has been let in. */
export interface Credentials {
  readonly method: string;
  readonly account: string;
  readonly proof: Uint8Array;
}
/** Lets the player in again without a proof, as plain text: for a page that is loaded again. */
export interface Saved {
  readonly reentry: string;
}
export interface SessionOptions {
  /** Name and version, for the gate's logs; at most 64 bytes. */
  readonly program: string;
  /** Hash of the schema that the code was written from. */
  readonly schema?: bigint;
  /** 0 to below 1. */
  readonly random?: () => number;
  /** Milliseconds without a word of any gate before it gives up; kPatience if it is not there. */
  readonly patience?: number;
  readonly saved?: Saved | undefined;
  /** What it can do beyond the protocol's version: bits, for Hello. */
  readonly features?: bigint;
}

export type State =
  | 'idle' // not started
  | 'credentials' // waits for login()
  | 'connecting' // up to the Welcome
  | 'playing'
  | 'away' // waits before it connects again
  | 'ended';
export type EndReason = wire.CloseReason | 'unreachable' | 'left';

export type SessionEvent =
  | { type: 'state'; state: State }
  /** login() is to be called: the reason of the last refusal, or none for the first time. */
  | { type: 'credentials'; reason: wire.CloseReason | undefined; text: string }
  | { type: 'waiting'; waiting: wire.Waiting }
  | { type: 'welcome'; goesOn: boolean }
  | { type: 'full'; full: wire.Full }
  | { type: 'call'; call: wire.Call }
  | { type: 'news'; changes: Uint8Array }
  /** Of the space around the subject: the body, for a SpaceView. */
  | { type: 'sight'; body: Uint8Array }
  | { type: 'over'; over: wire.Over }
  | { type: 'spoken'; group: string; call: wire.Call }
  | ({ type: 'fate' } & Concluded)
  | { type: 'closed'; reason: wire.CloseReason; text: string }
  /** A gate has said what it must not; the connection was closed. */
  | { type: 'fault'; text: string }
  | { type: 'ended'; reason: EndReason; text: string };

export type Output =
  /** Opens a connection: to that address, or to one of the program's own choice. */
  | { type: 'connect'; address: string | undefined; elsewhere: boolean }
  | { type: 'send'; frame: Uint8Array }
  /** Closes the connection. Nothing of it may be told to the session any more. */
  | { type: 'disconnect' }
  | SessionEvent;

/** What the client does about a close reason. */
export type Act = 'stop' | 'login' | 'reenter' | 'resume' | 'elsewhere' | 'fault';
export const kActs: Readonly<Record<wire.CloseReason, Act>> = {
  version: 'stop',
  malformed: 'fault',
  too_large: 'fault',
  idle: 'resume',
  too_many: 'resume',
  denied: 'login',
  banned: 'stop',
  full: 'resume',
  token: 'login',
  token_reused: 'login',
  window: 'reenter',
  replaced: 'stop',
  ended: 'stop',
  too_slow: 'resume',
  later: 'resume',
  leaving: 'elsewhere',
  taken_over: 'stop',
  fault: 'resume',
};
