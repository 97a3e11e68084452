/** What generated code (`starbus client-code`) needs beside the client. */
import type { Client } from './client.js';

/**
 * Runs `told` when the property, or something below it, has changed: once for all that came at
 * once. Returns what ends it.
 */
export function watchField<S extends object, N extends string & keyof S>(
  client: Client,
  name: N,
  told: (value: S[N]) => void,
): () => void {
  return client.on('changed', (changes) => {
    if (!changes.some(({ path }) => path.length === 0 || path[0] === name)) return;
    const state = client.properties as S | undefined;
    if (state !== undefined) told(state[name]);
  });
}
