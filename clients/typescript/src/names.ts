/**
 * The names that a program was built from, and how those of the server differ: methods that it
 * calls, methods that are called at it, and properties. docs/reference/client-protocol.md, section
 * "Names", has the bytes; those of a server are hostile. Pure functions.
 */
import { BadBytes, Reader, Writer } from './bytes.js';
import { isSeen } from './fields.js';
import type { Audience } from './fields.js';
import * as limits from './limits.js';
import { hashOf, methodId } from './rpc.js';
import type { PropertiesDoc, PropertyDoc, Schema, TypeDoc } from './schema.js';

const kCallForm = 0xa1;
const kTableForm = 0xb1;
const kSides = ['asked', 'heard'] as const;

export interface ServerMethod {
  /** `asked`: the client calls it; `heard`: it is called at the client. */
  readonly side: 'asked' | 'heard';
  readonly name: string;
  readonly fingerprint: number;
  readonly types: string;
}
export interface ServerField {
  readonly name: string;
  readonly index: number;
  readonly fingerprint: number;
  readonly types: string;
  /** How a reader that does not know the type passes over a value. */
  readonly shape: string;
}
export interface ServerClass {
  readonly name: string;
  readonly hash: bigint;
  readonly fields: readonly ServerField[];
}
/** What a server says of its names. */
export interface ServerNames {
  readonly hash: bigint;
  /** It is one of those that were asked for; then the lists are empty. */
  readonly same: boolean;
  readonly methods: readonly ServerMethod[];
  readonly classes: readonly ServerClass[];
}

/** What is different. */
export interface Difference {
  /** `missing`: the server does not have it; `added`: the program does not know it. */
  readonly kind: 'missing' | 'added' | 'changed';
  readonly what: 'asked' | 'heard' | 'property';
  /** `player.buy`; of a property `game::PlayerState.gold`, `game::PlayerState@others.mood`. */
  readonly name: string;
  /** At the server; empty: missing. */
  readonly types: string;
}

/** The body of the request for names. */
export function namesRequest(hashes: readonly bigint[]): Uint8Array {
  const out = new Writer();
  out.byte(kCallForm);
  out.byte(0);
  out.u32(methodId('starbus.names'));
  out.u32(hashOf('([u64])->names1'));
  out.varint(hashes.length);
  for (const hash of hashes) out.varint(hash);
  return out.bytes();
}

/** The answer to it. Throws BadBytes; undefined: the server does not say its names. */
export function decodeNames(answer: Uint8Array): ServerNames | undefined {
  const from = new Reader(answer);
  if (from.byte() !== 0xa8) throw new BadBytes('malformed', 'not an answer');
  if (from.byte() !== 0) return undefined; // an error: not_found of an older one
  if (from.byte() !== kTableForm) throw new BadBytes('malformed', 'not a table of names');
  const hash = from.u64();
  const same = from.small(1) === 1;
  const methods = same ? [] : list(from, limits.kNameRows, methodFrom);
  const classes = same ? [] : list(from, limits.kNameRows, classFrom);
  from.finish();
  return { hash, same, methods, classes };
}
function list<T>(from: Reader, most: number, read: (from: Reader) => T): T[] {
  return Array.from({ length: from.size(most) }, () => read(from));
}
function methodFrom(from: Reader): ServerMethod {
  const side = kSides[from.byte() - 1];
  if (side === undefined) throw new BadBytes('malformed', 'a side of a method');
  const name = from.text(limits.kNameBytes);
  return { side, name, fingerprint: from.u32(), types: from.text(limits.kNameBytes) };
}
function classFrom(from: Reader): ServerClass {
  const name = from.text(limits.kNameBytes);
  const hash = from.u64();
  const fields = list(from, limits.kClassFields, fieldFrom);
  fields.forEach(({ index }, at) => {
    if (at > 0 && fields[at - 1]!.index >= index) throw new BadBytes('malformed', 'an index');
  });
  return { name, hash, fields };
}
function fieldFrom(from: Reader): ServerField {
  const name = from.text(limits.kFieldName);
  const index = from.byte();
  if (index === 0 || index === 255) throw new BadBytes('malformed', 'an index');
  const fingerprint = from.u32();
  const types = from.text(limits.kNameBytes);
  return { name, index, fingerprint, types, shape: from.text(limits.kShapeBytes) };
}

/** Behind the name of a class as other clients see it. */
const kOthers = '@others';
const kClients: readonly Audience[] = ['own_client', 'other_clients'];
function markOf(audience: Audience): string {
  return audience === 'other_clients' ? kOthers : '';
}

/** What a field's fingerprint is the hash of: the signature, the class within, the capacity. */
export function typesOf({ signature, type, capacity }: PropertyDoc, audience: Audience): string {
  const within = classWithin(type);
  const below = within ? ` ${within}${markOf(audience)}` : '';
  return signature + below + (capacity ? ` ${capacity}` : '');
}
function classWithin(type: TypeDoc): string | undefined {
  const below = typeof type === 'object' && 'bag' in type ? type.bag[1] : type;
  return typeof below === 'object' && 'properties' in below ? below.properties : undefined;
}

interface Name {
  readonly owner: string;
  readonly fingerprint: number;
  readonly types: string;
}
/**
 * By kind of name and then in the order of names. A program that was built from several schemas
 * does not take a class for missing of which the server has nothing: it is another server's.
 */
export function differences(schema: Schema, server: ServerNames): Difference[] {
  if (server.same) return [];
  const found: Difference[] = [];
  for (const what of kSides) {
    const here = new Map<string, Name>();
    const there = new Map<string, Name>();
    for (const [name, fingerprint] of schema.names(what)) {
      here.set(name, { owner: ownerOf(name), fingerprint, types: '' });
    }
    for (const { side, name, fingerprint, types } of server.methods) {
      if (side === what) there.set(name, { owner: ownerOf(name), fingerprint, types });
    }
    compare(what, here, there, schema.hashes.length === 1, found);
  }
  const here = new Map<string, Name>();
  const there = new Map<string, Name>();
  for (const audience of kClients) {
    for (const doc of classesFor(schema, audience)) {
      const owner = doc.name + markOf(audience);
      for (const field of seenOf(doc, audience)) {
        const fingerprint = hashOf(typesOf(field, audience));
        here.set(`${owner}.${field.name}`, { owner, fingerprint, types: '' });
      }
    }
  }
  for (const { name: owner, fields } of server.classes) {
    for (const { name, fingerprint, types } of fields) {
      there.set(`${owner}.${name}`, { owner, fingerprint, types });
    }
  }
  compare('property', here, there, schema.hashes.length === 1, found);
  return found;
}
function seenOf(
  { fields, of_entity: ofEntity }: PropertiesDoc,
  audience: Audience,
): readonly PropertyDoc[] {
  return fields.filter((field) => isSeen(field, ofEntity, audience));
}
/** All for the own client; for others those of entities that they see something of, and below. */
function classesFor(schema: Schema, audience: Audience): Iterable<PropertiesDoc> {
  if (audience === 'own_client') return schema.properties;
  const found = new Set<PropertiesDoc>();
  const visit = (doc: PropertiesDoc): void => {
    if (found.has(doc)) return;
    found.add(doc);
    for (const { type } of seenOf(doc, audience)) {
      const below = classWithin(type);
      if (below !== undefined) visit(schema.propertiesNamed(below));
    }
  };
  for (const doc of schema.properties) {
    if (doc.of_entity && seenOf(doc, audience).length > 0) visit(doc);
  }
  return found;
}
function ownerOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}
function compare(
  what: Difference['what'],
  here: ReadonlyMap<string, Name>,
  there: ReadonlyMap<string, Name>,
  all: boolean,
  out: Difference[],
): void {
  const owners = new Set([...there.values()].map(({ owner }) => owner));
  const found: Difference[] = [];
  for (const [name, { owner, fingerprint }] of here) {
    const other = there.get(name);
    if (other === undefined) {
      if (all || owners.has(owner)) found.push({ kind: 'missing', what, name, types: '' });
    } else if (other.fingerprint !== fingerprint) {
      found.push({ kind: 'changed', what, name, types: other.types });
    }
  }
  for (const [name, { types }] of there) {
    if (!here.has(name)) found.push({ kind: 'added', what, name, types });
  }
  const order = (a: Difference, b: Difference): number => (a.name < b.name ? -1 : 1);
  out.push(...found.sort(order));
}

/**
 * The classes of properties as the server says them: fields of the same name and types are the
 * program's, others are passed over by their shapes.
 */
export function propertiesOf(
  schema: Schema,
  server: ServerNames,
  audience: Audience,
): PropertiesDoc[] {
  const docs = classesOf(schema, server, audience);
  const byName = new Map(docs.map((doc) => [doc.name, doc]));
  let visits = 0;
  const visit = (doc: PropertiesDoc | undefined, level: number): void => {
    if (doc === undefined) throw new BadBytes('malformed', 'a class that is not in the table');
    visits += 1;
    const deep = level > limits.kMaxLevels || visits > limits.kNameRows;
    if (deep) throw new BadBytes('too_deep', 'classes within one another');
    for (const { type } of doc.fields) {
      const below = classWithin(type);
      if (below !== undefined) visit(byName.get(below), level + 1);
    }
  };
  for (const doc of docs) if (doc.of_entity) visit(doc, 1);
  return docs;
}
function classesOf(schema: Schema, server: ServerNames, audience: Audience): PropertiesDoc[] {
  const others = audience === 'other_clients';
  const rows = server.classes.filter(({ name }) => name.endsWith(kOthers) === others);
  return rows.map(({ name: marked, hash, fields }) => {
    const name = others ? marked.slice(0, -kOthers.length) : marked;
    const own = schema.properties.find((one) => one.name === name);
    const seen = own === undefined ? [] : seenOf(own, audience);
    const known = new Map(seen.map((field) => [field.name, field]));
    const isSame = ({ name: field, fingerprint }: ServerField): boolean => {
      const mine = known.get(field);
      return mine !== undefined && hashOf(typesOf(mine, audience)) === fingerprint;
    };
    const same = new Set(fields.filter(isSame).map((field) => field.name));
    return {
      name,
      of_entity: own?.of_entity ?? false,
      hash: hash.toString(16).padStart(16, '0'),
      fields: fields.map((field) =>
        same.has(field.name)
          ? { ...known.get(field.name)!, index: field.index }
          : passed(field, audience),
      ),
      absent: seen.filter((field) => !same.has(field.name)),
    };
  });
}
const kSignatures: Readonly<Record<string, string>> = {
  l: 'list[',
  m: 'map[',
  b: 'bag[',
  '{': 'struct',
};
function passed({ name, index, shape }: ServerField, audience: Audience): PropertyDoc {
  const type = typeOfShape(shape.replaceAll(`${kOthers}}`, '}'));
  const signature = kSignatures[shape[0] ?? ''] ?? '';
  const flags = [audience];
  return { name, index, flags, signature, type, capacity: limits.kMaxElements, passed: true };
}

/** A type whose values have the bytes of that shape. Throws BadBytes for one that has none. */
export function typeOfShape(shape: string): TypeDoc {
  let at = 0;
  const until = (end: string): string => {
    const to = shape.indexOf(end, at);
    if (to < 0) throw new BadBytes('malformed', 'a shape');
    const text = shape.slice(at, to);
    at = to + 1;
    return text;
  };
  const group = (depth: number): TypeDoc[] => {
    const parts: TypeDoc[] = [];
    while (shape[at] !== ')') parts.push(next(depth));
    at += 1;
    return parts;
  };
  const key = (depth: number): TypeDoc => (shape[at] === 's' ? ((at += 1), 'string') : next(depth));
  const next = (above: number): TypeDoc => {
    const depth = above + 1;
    if (depth > limits.kArchiveDepth) throw new BadBytes('too_deep');
    switch (shape[at++]) {
      case '1':
        return 'u8';
      case 'v':
        return 'u64';
      case '4':
        return 'f32';
      case '8':
        return 'f64';
      case 's':
        return 'bytes';
      case 'l':
        return { list: next(depth) };
      case 'o':
        return { optional: next(depth) };
      case 'm':
        return { map: [key(depth), next(depth)] };
      case 'b':
        return { bag: [key(depth), next(depth)] };
      case 'a': {
        const size = Number(until(':'));
        if (!(size <= limits.kMaxElements)) throw new BadBytes('too_large');
        return { array: next(depth), size };
      }
      case '(':
        return { tuple: group(depth) };
      case '|':
        return { variant: group(depth) };
      case '{':
        return { properties: until('}') };
      default:
        throw new BadBytes('schema_mismatch', 'a property that only C++ can read');
    }
  };
  return next(0);
}
