/**
 * The kinds of fields that properties have, and what changes do to each: docs/guide/properties.md,
 * section "Wire form". For the replica alone.
 */
import { BadBytes, bytesOfText } from './bytes.js';
import { Bag } from './bag.js';
import * as limits from './limits.js';
import type { PropertiesDoc, PropertyDoc, Schema, TypeDoc } from './schema.js';
import type { Codec, ValueReader } from './values.js';

/** The operations of changes, by their numbers. */
export const kOperations = [
  'clear',
  'set',
  'list_push',
  'list_pop',
  'list_set',
  'list_insert',
  'list_erase',
  'map_put',
  'map_erase',
  'bag_insert',
  'bag_erase',
  'bag_move',
] as const;
/** The kinds of newest values, by theirs. */
export const kParts = ['whole', 'element', 'gone', 'slot'] as const;
export type Operation = typeof kOperations[number];
export type Part = typeof kParts[number];

/** A part of a path: the name of a field, the index in a list, the key in a map or bag. */
export type Step = string | number | bigint;
export type State = Record<string, unknown>;
/** Takes back one step. */
export type Undo = (() => void)[];

/** What is to be done to a field of `state`, with what follows in the bytes. */
export interface Doing {
  readonly state: State;
  readonly name: string;
  readonly from: ValueReader;
  readonly undo: Undo;
}

/** One kind of field. All throw BadBytes, and leave to `undo` what they have done before. */
interface Kind {
  read(from: ValueReader): unknown;
  /** Returns the step below the field that was changed, if it is one. */
  apply(operation: Operation, doing: Doing): Step | undefined;
  element(part: Exclude<Part, 'whole'>, doing: Doing): Step | undefined;
  /** Goes below the field, for an address of more levels. */
  enter?(value: unknown, from: ValueReader): { class: PropertyClass; state: State; key?: Step };
}
export interface PropertyField extends Kind {
  readonly name: string;
  readonly index: number;
  /** The program does not have it. */
  readonly passed: boolean;
}

function malformed(): never {
  throw new BadBytes('malformed', 'a change that this field does not have');
}
function desync(): never {
  throw new BadBytes('desync');
}
/** Sets a field. */
export function exchange({ state, name, undo }: Doing, value: unknown): undefined {
  const old = state[name];
  state[name] = value;
  undo.push(() => (state[name] = old));
  return undefined;
}

/** Before the names of fields that the program does not have: they are kept, and not shown. */
const kPassed = '?';

/** What a field has that the server does not say: nothing of its type. */
function emptyOf(type: TypeDoc, schema: Schema, capacity = 0): unknown {
  if (typeof type === 'string') {
    if (type === 'bool') return false;
    if (type === 'string') return '';
    if (type === 'bytes') return new Uint8Array();
    return type === 'i64' || type === 'u64' ? 0n : 0;
  }
  if ('enum' in type) return emptyOf(type.of, schema);
  if ('duration' in type) return emptyOf(type.duration, schema);
  if ('list' in type || 'set' in type) return [];
  if ('array' in type) {
    return Array.from({ length: type.size }, () => emptyOf(type.array, schema));
  }
  if ('tuple' in type) return type.tuple.map((part) => emptyOf(part, schema));
  if ('variant' in type) return { index: 0, value: emptyOf(type.variant[0]!, schema) };
  if ('map' in type) return new Map();
  if ('bag' in type) return new Bag(capacity);
  if ('optional' in type) return null;
  if ('ref' in type) return '';
  if ('opaque' in type) return undefined;
  const rows: readonly { name?: string; type: TypeDoc; capacity?: number }[] =
    'struct' in type
      ? schema.structNamed(type.struct)
      : schema.propertiesNamed(type.properties).fields;
  return Object.fromEntries(
    rows.map((row, at) => [row.name ?? `_${at + 1}`, emptyOf(row.type, schema, row.capacity)]),
  );
}

/** A class of properties as an audience sees it. */
export class PropertyClass {
  readonly #byIndex = new Map<number, PropertyField>();
  readonly #absent: readonly [string, () => unknown][];
  readonly name: string;

  constructor(doc: PropertiesDoc, schema: Schema, audience: Audience) {
    this.name = doc.name;
    const seen = doc.fields.filter((field) => isSeen(field, doc.of_entity, audience));
    for (const field of [...seen].sort((a, b) => a.index - b.index)) {
      const kind = kindOf(field, schema, audience);
      const { index, passed = false } = field;
      const name = passed ? kPassed + field.name : field.name;
      this.#byIndex.set(index, { ...kind, name, index, passed });
    }
    this.#absent = (doc.absent ?? []).map(({ name, type, capacity }) => [
      name,
      () => emptyOf(type, schema, capacity),
    ]);
  }

  /** `malformed` for one that the audience does not see. */
  field(index: number): PropertyField {
    return this.#byIndex.get(index) ?? malformed();
  }
  /** All fields of a snapshot. */
  read(from: ValueReader): State {
    const state: State = {};
    for (const [name, make] of this.#absent) state[name] = make();
    for (const field of this.#byIndex.values()) {
      if (from.byte() !== field.index) malformed();
      const value = field.read(from);
      const { name, passed } = field;
      Object.defineProperty(state, name, {
        value,
        writable: true,
        enumerable: !passed,
        configurable: true,
      });
    }
    if (from.byte() !== 0) malformed();
    return state;
  }
}

/** Who sees properties, by their numbers on the wire. */
export const kAudiences = ['ghost', 'other_clients', 'own_client', 'save', 'cache'] as const;
/** The clients among them: that of the entity itself, and those that see it in its space. */
export type Audience = 'own_client' | 'other_clients';
export function isSeen({ flags }: PropertyDoc, ofEntity: boolean, audience: Audience): boolean {
  if (kAudiences.some((one) => flags.includes(one))) return flags.includes(audience);
  return !ofEntity && !flags.includes('server_only');
}

/** A List, Map or Bag has operations of its own; a Field of a container has none. */
function kindOf(field: PropertyDoc, schema: Schema, audience: Audience): Kind {
  const { signature } = field;
  const type = field.type as Exclude<TypeDoc, string>;
  if (signature.startsWith('list[') && 'list' in type) return listKind(schema.codec(type.list));
  if (signature.startsWith('map[') && 'map' in type) {
    return mapKind(keyOf(schema.codec(type.map[0])), schema.codec(type.map[1]));
  }
  if (signature.startsWith('bag[') && 'bag' in type) {
    const items = classNamed(type.bag[1], schema, audience);
    return bagKind(keyOf(schema.codec(type.bag[0])), items, field.capacity ?? 0);
  }
  if (signature === 'struct') return structKind(classNamed(field.type, schema, audience));
  return valueKind(schema.codec(field.type));
}
function classNamed(type: TypeDoc, schema: Schema, audience: Audience): PropertyClass {
  const name = (type as { properties: string }).properties;
  return new PropertyClass(schema.propertiesNamed(name), schema, audience);
}
/** A text that is a key has 1 to kMaxKey bytes. */
function keyOf(codec: Codec): (from: ValueReader) => Step {
  return (from) => {
    const key = codec.get(from) as Step;
    if (typeof key !== 'string') return key;
    const size = bytesOfText(key).length;
    return size === 0 || size > limits.kMaxKey ? malformed() : key;
  };
}

function valueKind(codec: Codec): Kind {
  return {
    read: (from) => codec.get(from),
    apply(operation, doing) {
      if (operation !== 'set') malformed();
      return exchange(doing, codec.get(doing.from));
    },
    element: malformed,
  };
}
function structKind(within: PropertyClass): Kind {
  return {
    read: (from) => within.read(from),
    apply: malformed,
    element: malformed,
    enter: (value) => ({ class: within, state: value as State }),
  };
}

function listKind(each: Codec): Kind {
  const read = (from: ValueReader): unknown[] => {
    const count = from.count();
    if (count > limits.kMaxElements) throw new BadBytes('too_large');
    return Array.from({ length: count }, () => each.get(from));
  };
  return {
    read,
    apply(operation, doing) {
      if (operation === 'clear') return exchange(doing, []);
      if (operation === 'set') return exchange(doing, read(doing.from));
      return changeList(operation, doing, each);
    },
    element(part, { state, name, from, undo }) {
      const list = state[name] as unknown[];
      const at = from.small(Number.MAX_SAFE_INTEGER);
      const value = each.get(from);
      if (part !== 'element') malformed();
      if (at >= list.length) desync();
      putAt(list, at, value, undo);
      return at;
    },
  };
}
function putAt(list: unknown[], at: number, value: unknown, undo: Undo): void {
  const old = list[at];
  list[at] = value;
  undo.push(() => (list[at] = old));
}
function changeList(operation: Operation, { state, name, from, undo }: Doing, each: Codec): Step {
  const list = state[name] as unknown[];
  const grows = operation === 'list_push' || operation === 'list_insert';
  const puts = grows || operation === 'list_set';
  const takes = operation === 'list_pop' || operation === 'list_erase';
  if (!puts && !takes) malformed();
  let at = operation === 'list_push' ? list.length : list.length - 1;
  if (operation !== 'list_push' && operation !== 'list_pop') {
    at = from.small(Number.MAX_SAFE_INTEGER);
  }
  const value = puts ? each.get(from) : undefined;
  if (at < 0 || at >= list.length + Number(grows)) desync();
  if (grows && list.length >= limits.kMaxElements) desync();
  if (grows) {
    list.splice(at, 0, value);
    undo.push(() => list.splice(at, 1));
  } else if (puts) {
    putAt(list, at, value, undo);
  } else {
    const [old] = list.splice(at, 1);
    undo.push(() => list.splice(at, 0, old));
  }
  return at;
}

function mapKind(keyFrom: (from: ValueReader) => Step, each: Codec): Kind {
  const read = (from: ValueReader): Map<Step, unknown> => {
    const count = from.count();
    if (count > limits.kMaxElements) throw new BadBytes('too_large');
    const map = new Map<Step, unknown>();
    for (let i = 0; i < count; i++) {
      const key = keyFrom(from);
      if (map.has(key)) malformed();
      map.set(key, each.get(from));
    }
    return map;
  };
  const put = (map: Map<Step, unknown>, key: Step, value: unknown, undo: Undo): Step => {
    const had = map.has(key);
    const old = map.get(key);
    if (!had && map.size >= limits.kMaxElements) desync();
    map.set(key, value);
    undo.push(() => (had ? map.set(key, old) : map.delete(key)));
    return key;
  };
  const drop = (map: Map<Step, unknown>, key: Step, undo: Undo): Step => {
    const old = map.get(key);
    if (map.delete(key)) undo.push(() => map.set(key, old));
    return key;
  };
  return {
    read,
    apply(operation, doing) {
      if (operation === 'clear') return exchange(doing, new Map());
      if (operation === 'set') return exchange(doing, read(doing.from));
      const { from, undo } = doing;
      const map = doing.state[doing.name] as Map<Step, unknown>;
      if (operation !== 'map_put' && operation !== 'map_erase') malformed();
      const key = keyFrom(from);
      if (operation === 'map_put') return put(map, key, each.get(from), undo);
      return map.has(key) ? drop(map, key, undo) : desync();
    },
    element(part, { state, name, from, undo }) {
      const map = state[name] as Map<Step, unknown>;
      const key = keyFrom(from);
      if (part === 'slot') malformed();
      return part === 'gone' ? drop(map, key, undo) : put(map, key, each.get(from), undo);
    },
  };
}

type Items = Bag<Step, State>;
function bagKind(
  keyFrom: (from: ValueReader) => Step,
  items: PropertyClass,
  capacity: number,
): Kind {
  const slotFrom = (from: ValueReader): number => from.small(Number.MAX_SAFE_INTEGER);
  const of = ({ state, name }: Doing): Items => state[name] as Items;
  const add = (bag: Items, key: Step, slot: number, item: State, undo: Undo): void => {
    bag.insert(key, slot, item);
    undo.push(() => bag.remove(key));
  };
  const drop = (bag: Items, key: Step, undo: Undo): Step => {
    const { item, slot } = bag.remove(key);
    undo.push(() => bag.insert(key, slot, item));
    return key;
  };
  const place = (bag: Items, key: Step, slot: number, undo: Undo): Step => {
    const old = bag.slotOf(key)!;
    bag.place(key, slot);
    undo.push(() => bag.place(key, old));
    return key;
  };
  return {
    read(from) {
      const count = from.count();
      if (count > capacity) throw new BadBytes('too_large', 'a bag above its capacity');
      const bag: Items = new Bag(capacity);
      for (let i = 0; i < count; i++) {
        const key = keyFrom(from);
        const slot = slotFrom(from);
        if (slot >= capacity || bag.has(key) || bag.at(slot) !== undefined) malformed();
        bag.insert(key, slot, items.read(from));
      }
      return bag;
    },
    apply(operation, doing) {
      const { from, undo } = doing;
      const bag = of(doing);
      if (operation === 'clear') return exchange(doing, new Bag(capacity));
      const key = keyFrom(from);
      if (operation === 'bag_erase') return bag.has(key) ? drop(bag, key, undo) : desync();
      if (operation !== 'bag_insert' && operation !== 'bag_move') malformed();
      const slot = slotFrom(from);
      if (slot >= capacity || bag.has(key) === (operation === 'bag_insert')) desync();
      if (operation === 'bag_move') return place(bag, key, slot, undo);
      if (bag.at(slot) !== undefined) desync();
      add(bag, key, slot, items.read(from), undo);
      return key;
    },
    element(part, doing) {
      const { from, undo } = doing;
      const bag = of(doing);
      const key = keyFrom(from);
      if (part === 'gone') return bag.has(key) ? drop(bag, key, undo) : key;
      const slot = slotFrom(from);
      if (slot >= capacity) malformed();
      if (!bag.has(key)) {
        if (part === 'slot' || bag.size >= capacity) desync();
        add(bag, key, bag.at(slot) === undefined ? slot : bag.firstFree(), {}, undo);
      }
      place(bag, key, slot, undo);
      if (part === 'slot') return key;
      const old = bag.get(key)!;
      bag.replace(key, items.read(from));
      undo.push(() => bag.replace(key, old));
      return key;
    },
    enter(value, from) {
      const key = keyFrom(from);
      const state = (value as Items).get(key) ?? desync();
      return { class: items, state, key };
    },
  };
}
