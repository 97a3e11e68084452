// A program over written code: that it compiles is the test. stubs.test.mjs runs it.
import { Client } from 'starbus-client';
import type { Outcome, Seen } from 'starbus-client';
import { Hero, handleHeroClient, isHero, schema } from './heroes.js';
import type { HeroClient, HeroSeen, HeroState, Order } from './heroes.js';

/** Plays, and tells what it has heard. */
export function program(client: Client): { hero: Hero; told: unknown[]; run: () => Promise<unknown[]> } {
  const told: unknown[] = [];
  const hero = new Hero(client);
  hero.watch('gold', (gold: bigint) => void told.push(['gold', gold]));
  hero.watch('items', (items) => void told.push(['items', items.size]));
  const heard: HeroClient = {
    said: (who: string, text: string) => void told.push([who, text]),
    shown: (tree, either, three, names, numbers, prices, order, time, nothing, far, bytes) => {
      const value: number | string = either.value;
      const below: number | undefined = tree.below[0]?.value;
      const [one, two, flag]: readonly [number, string, boolean] = three;
      const price: bigint | undefined = prices.get('a');
      const item: bigint | undefined = order?.item;
      told.push([below, value, one, two, flag, names, numbers, price, item, time, nothing, far, bytes]);
    },
  };
  handleHeroClient(client, heard);
  const run = async (): Promise<unknown[]> => {
    const bought = await hero.buy(1001n, 'for you', { timeout: 1000 });
    const price: number | string = bought.fate === 'replied' ? bought.value : bought.fate;
    const order: Order = { item: 5n, notes: ['a'], _3: null };
    const haggled: Outcome<Order, number> = await hero.haggle(order);
    const refusal: number | string = haggled.fate === 'refused' ? haggled.refusal : haggled.fate;
    const left = await hero.leave();
    return [price, refusal, left.fate];
  };
  return { hero, told, run };
}
export function goldOf(state: HeroState): bigint {
  return state.gold + BigInt(state.items.get(1001n)?.count ?? 0) + BigInt(state.prices.size);
}
/** What is seen is of one class or another. */
export function moodOf(seen: Seen): string {
  if (!isHero(seen)) return `a ${seen.className}`;
  const state: HeroSeen | undefined = seen.properties;
  const size: number | undefined = state?.items.size;
  return `${state?.nick} ${state?.mood} ${size}`;
}
export { schema };
