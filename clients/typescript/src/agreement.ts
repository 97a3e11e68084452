/**
 * What a client and its server have in common: the methods that must not be asked, and properties
 * that wait until the server has said its names. Belongs to a Client.
 */
import { BadBytes } from './bytes.js';
import * as limits from './limits.js';
import { decodeNames, differences, namesRequest } from './names.js';
import type { Difference, ServerNames } from './names.js';
import type { Replica } from './replica.js';
import type { Fate } from './requests.js';
import { methodId } from './rpc.js';
import type { Schema } from './schema.js';

export class Agreement {
  readonly #schema: Schema | undefined;
  #differing = new Set<number>();
  #names: ServerNames | undefined;
  #held: Uint8Array[] | undefined; // a snapshot, and the changes after it
  #heldBytes = 0;

  constructor(schema: Schema | undefined) {
    this.#schema = schema;
  }

  /** The question for names; undefined: the schema has none to compare. */
  get request(): Uint8Array | undefined {
    const hashes = this.#schema?.hashes ?? [];
    return hashes.length === 0 ? undefined : namesRequest(hashes);
  }
  /** The server does not have this method as the schema has it. */
  differs(method: number): boolean {
    return this.#differing.has(method);
  }
  /**
   * Takes the answer. Undefined: the server does not say its names, and checks each call itself.
   * Throws BadBytes; then likewise.
   */
  hear(fate: Fate, replica: Replica | undefined): Difference[] | undefined {
    this.#differing = new Set();
    this.#names = undefined;
    const names = fate.fate === 'replied' ? decodeNames(fate.answer) : undefined;
    if (names === undefined) return undefined;
    this.#names = names;
    const found = differences(this.#schema!, names);
    const lacks = found.filter(({ kind, what }) => kind !== 'added' && what === 'asked');
    this.#differing = new Set(lacks.map(({ name }) => methodId(name)));
    if (!names.same) replica?.learn(names);
    return found;
  }

  /** What the server has said of its names; undefined: nothing. */
  get names(): ServerNames | undefined {
    return this.#names;
  }

  /** Properties wait. */
  get holds(): boolean {
    return this.#held !== undefined;
  }
  /** A snapshot that is not known yet begins to wait. */
  hold(snapshot: Uint8Array): boolean {
    this.#held = [];
    this.#heldBytes = 0;
    return this.keep(snapshot);
  }
  /** Changes after it. False: more than kHeldBytes, and nothing waits any more. */
  keep(bytes: Uint8Array): boolean {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > limits.kHeldBytes) this.#held = undefined;
    this.#held?.push(bytes);
    return this.holds;
  }
  /** What has waited waits no more. */
  release(): readonly Uint8Array[] {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held;
  }
}

/** Whether properties are of another declaration, which the names of the server may explain. */
export function isMismatch(error: unknown): boolean {
  return error instanceof BadBytes && error.code === 'schema_mismatch';
}
