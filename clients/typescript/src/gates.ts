/** The addresses of gates, and which one is next. Belongs to a Client. */

const kScheme = /^([a-z]+):\/\//;
const kSecure = ['wss', 'tls'];

/** `wss` of `wss://host/`; empty if there is none. */
export function schemeOf(address: string): string {
  return kScheme.exec(address)?.[1] ?? '';
}

export class Gates {
  readonly #addresses: readonly string[];
  #at: number;
  #current: string;
  #good = true;

  /** Clients begin at a random one of them. `addresses` is not empty. */
  constructor(addresses: readonly string[], random: () => number) {
    this.#addresses = addresses;
    this.#at = Math.floor(random() * addresses.length) % addresses.length;
    this.#current = addresses[this.#at]!;
  }

  get current(): string {
    return this.#current;
  }
  /** The current one has let the client in: it is asked first after a loss. */
  good(): void {
    this.#good = true;
  }
  /** The next one to connect to; `elsewhere`: another one than the current, if there is one. */
  next(elsewhere: boolean): string {
    if (elsewhere || !this.#good) {
      this.#at = (this.#at + 1) % this.#addresses.length;
      this.#current = this.#addresses[this.#at]!;
    }
    this.#good = false;
    return this.#current;
  }
  /**
   * Where a gate sends the client: `host:port` is taken with the scheme of the current one. An
   * address without encryption is not taken from an encrypted one, nor one that `known` does not
   * know: then it is the next one of the list.
   */
  redirected(address: string, known: (scheme: string) => boolean): string {
    const mine = schemeOf(this.#current);
    const path = mine.startsWith('ws') ? this.#current.replace(/^[a-z]+:\/\/[^/]*/, '') : '';
    const to = schemeOf(address) === '' ? `${mine}://${address}${path}` : address;
    const theirs = schemeOf(to);
    const weaker = kSecure.includes(mine) && !kSecure.includes(theirs);
    if (weaker || !known(theirs)) return this.next(true);
    this.#current = to;
    this.#good = false;
    return to;
  }
}
