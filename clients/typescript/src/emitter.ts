/** Handlers of events by name. What a handler throws is an event `error`. */
export class Events<E extends { error: unknown }> {
  readonly #handlers = new Map<keyof E, Set<(value: any) => void>>();

  /** Handlers run in the order in which they came. Returns what takes this one away. */
  on<N extends keyof E>(name: N, handler: (value: E[N]) => void): () => void {
    const all = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, all.add(handler));
    return () => void all.delete(handler);
  }

  protected emit<N extends keyof E>(name: N, value: E[N]): void {
    const all = this.#handlers.get(name);
    if (name === 'error' && (all === undefined || all.size === 0)) return console.error(value);
    for (const handler of [...(all ?? [])]) {
      try {
        handler(value);
      } catch (error) {
        if (name === 'error') console.error(error);
        else this.emit('error', error);
      }
    }
  }
}
