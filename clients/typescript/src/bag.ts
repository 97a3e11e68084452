/** Items with a key and a slot each, as a property of a replica has them. */
export class Bag<K, T> implements Iterable<[K, T]> {
  readonly #items = new Map<K, { item: T; slot: number }>();
  readonly #slots = new Map<number, K>();

  constructor(readonly capacity: number) {}

  get size(): number {
    return this.#items.size;
  }
  has(key: K): boolean {
    return this.#items.has(key);
  }
  get(key: K): T | undefined {
    return this.#items.get(key)?.item;
  }
  slotOf(key: K): number | undefined {
    return this.#items.get(key)?.slot;
  }
  /** The key of the item in a slot. */
  at(slot: number): K | undefined {
    return this.#slots.get(slot);
  }
  /** In no order that means anything. */
  *[Symbol.iterator](): IterableIterator<[K, T]> {
    for (const [key, { item }] of this.#items) yield [key, item];
  }

  // --- for the replica alone ---

  /** Key and slot must be free. */
  insert(key: K, slot: number, item: T): void {
    this.#items.set(key, { item, slot });
    this.#slots.set(slot, key);
  }
  /** The key must be there. */
  remove(key: K): { item: T; slot: number } {
    const node = this.#items.get(key)!;
    this.#items.delete(key);
    this.#slots.delete(node.slot);
    return node;
  }
  /** The key must be there; what lies in the slot changes places with it. */
  place(key: K, slot: number): void {
    const node = this.#items.get(key)!;
    const other = this.#slots.get(slot);
    if (other !== undefined) {
      this.#items.get(other)!.slot = node.slot;
      this.#slots.set(node.slot, other);
    } else {
      this.#slots.delete(node.slot);
    }
    node.slot = slot;
    this.#slots.set(slot, key);
  }
  /** The key must be there. */
  replace(key: K, item: T): void {
    this.#items.get(key)!.item = item;
  }
  firstFree(): number {
    let slot = 0;
    while (this.#slots.has(slot)) slot += 1;
    return slot;
  }
}
