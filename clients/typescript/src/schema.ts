/**
 * The schema of a node program, as `PROGRAM --schema` prints it (docs/reference/schema.md): what
 * methods it has, and what its values and properties consist of. Code that is written from it, and
 * code that reads it when it runs, use these types and the codecs of values.ts.
 */
import { Codec, codecOf } from './values.js';

/** A type, as the schema has it. */
export type TypeDoc =
  | string
  | { readonly enum: string; readonly of: string }
  | { readonly list: TypeDoc }
  | { readonly set: TypeDoc }
  | { readonly map: readonly [TypeDoc, TypeDoc] }
  | { readonly array: TypeDoc; readonly size: number }
  | { readonly optional: TypeDoc }
  | { readonly variant: readonly TypeDoc[] }
  | { readonly tuple: readonly TypeDoc[] }
  | { readonly duration: TypeDoc; readonly period: readonly [number, number] }
  | { readonly struct: string }
  | { readonly ref: string }
  | { readonly properties: string }
  | { readonly bag: readonly [TypeDoc, TypeDoc] }
  | { readonly opaque: string };
export interface FieldDoc {
  readonly name?: string;
  readonly type: TypeDoc;
}
export interface MethodDoc {
  readonly name: string;
  /** 32 bits in hex, as `signature`. */
  readonly id: string;
  readonly signature: string;
  readonly arguments: readonly TypeDoc[];
  /** Missing: it is called at the client. */
  readonly answer?: TypeDoc | null;
  readonly refusal?: TypeDoc;
  readonly callers?: readonly string[];
}
export interface ClassDoc {
  readonly name: string;
  readonly methods: readonly MethodDoc[];
}
export interface PropertyDoc {
  readonly name: string;
  readonly index: number;
  readonly flags: readonly string[];
  readonly signature: string;
  readonly type: TypeDoc;
  readonly capacity?: number;
  /** Of a server with another schema: it is read past. */
  readonly passed?: boolean;
}
export interface PropertiesDoc {
  readonly name: string;
  readonly of_entity: boolean;
  /** 64 bits in hex. */
  readonly hash: string;
  readonly fields: readonly PropertyDoc[];
  /** Fields of the program that the server does not have. */
  readonly absent?: readonly PropertyDoc[];
}
/** Other members are ignored. */
export interface SchemaDoc {
  readonly hash?: string;
  /** Of what clients are built from. */
  readonly client_hash?: string;
  /** Of generated code: of each schema that it was written from. */
  readonly client_hashes?: readonly string[];
  readonly clients?: readonly ClassDoc[];
  readonly rpc: { readonly classes: readonly ClassDoc[] };
  readonly properties: readonly PropertiesDoc[];
  readonly structs: Readonly<Record<string, readonly FieldDoc[]>>;
}

/** A method with the codecs of its types. */
export interface Method {
  readonly name: string;
  readonly id: number;
  readonly signature: number;
  readonly args: readonly Codec[];
  readonly answer: Codec | undefined;
  readonly refusal: Codec | undefined;
}

/** Codecs are made when they are first used. Immutable otherwise; shared by any clients. */
export class Schema {
  readonly #doc: SchemaDoc;
  readonly #structs = new Map<string, Codec>();
  readonly #methods = new Map<string, Method>();

  constructor(doc: SchemaDoc) {
    this.#doc = doc;
  }

  /** For Hello: tells a gate from which schema the code of the client was made. */
  get hash(): bigint {
    return this.hashes[0] ?? BigInt('0x' + (this.#doc.hash ?? '0'));
  }
  /** For the question for names. Empty: printed by an older release, which does not compare them. */
  get hashes(): readonly bigint[] {
    const { client_hash: one, client_hashes: all = one === undefined ? [] : [one] } = this.#doc;
    return all.map((hash) => BigInt('0x' + hash));
  }
  get properties(): readonly PropertiesDoc[] {
    return this.#doc.properties;
  }
  /** The methods of one side with their fingerprints: `asked` of the server, `heard` from it. */
  *names(side: 'asked' | 'heard'): Generator<[string, number]> {
    const { rpc, clients = [] } = this.#doc;
    for (const { name: owner, methods } of side === 'asked' ? rpc.classes : clients) {
      for (const { name, signature, callers = ['own_client'] } of methods) {
        const mine = callers.includes('own_client') || callers.includes('any_client');
        if (side === 'heard' || mine) yield [`${owner}.${name}`, parseInt(signature, 16)];
      }
    }
  }
  /** A method that is called at the client, for `Client.handle`. Throws if there is none. */
  heard(name: string): MethodDoc {
    const dot = name.indexOf('.');
    const owner = this.#doc.clients?.find((one) => one.name === name.slice(0, dot));
    const doc = owner?.methods.find((one) => one.name === name.slice(dot + 1));
    if (doc === undefined) throw new Error(`schema: no method ${name}; print it again`);
    return doc;
  }
  /** This one with other classes of properties. */
  withProperties(properties: readonly PropertiesDoc[]): Schema {
    return new Schema({ ...this.#doc, properties });
  }
  /** As `class.method`; undefined if there is none. */
  method(name: string): Method | undefined {
    const known = this.#methods.get(name);
    if (known !== undefined) return known;
    const dot = name.indexOf('.');
    const owner = this.#doc.rpc.classes.find((one) => one.name === name.slice(0, dot));
    const doc = owner?.methods.find((one) => one.name === name.slice(dot + 1));
    if (doc === undefined) return undefined;
    const method = this.methodOf(name, doc);
    this.#methods.set(name, method);
    return method;
  }
  methodOf(name: string, doc: MethodDoc): Method {
    return {
      name,
      id: parseInt(doc.id, 16),
      signature: parseInt(doc.signature, 16),
      args: doc.arguments.map((type) => this.codec(type)),
      answer: doc.answer == null ? undefined : this.codec(doc.answer),
      refusal: doc.refusal === undefined ? undefined : this.codec(doc.refusal),
    };
  }
  /** The class of an entity's properties with that hash. */
  entityProperties(hash: bigint): PropertiesDoc | undefined {
    const text = hash.toString(16).padStart(16, '0');
    return this.#doc.properties.find((one) => one.of_entity && one.hash === text);
  }
  /** The class with that name. Throws for one that the schema does not have. */
  propertiesNamed(name: string): PropertiesDoc {
    const found = this.#doc.properties.find((one) => one.name === name);
    if (found === undefined) throw new Error(`schema: no properties ${name}; print it again`);
    return found;
  }
  /** Likewise, of a struct of values. */
  structNamed(name: string): readonly FieldDoc[] {
    const fields = this.#doc.structs[name];
    if (fields === undefined) throw new Error(`schema: no struct ${name}; print it again`);
    return fields;
  }
  /** Throws for a type that only C++ can read (`opaque`), and one that is not in the schema. */
  codec(type: TypeDoc): Codec {
    return codecOf(type, (name) => this.#struct(name));
  }
  #struct(name: string): Codec {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    const fields = this.structNamed(name);
    // A struct may contain itself: what it consists of is looked up when it is used.
    let parts: { name: string; codec: Codec }[] | undefined;
    const all = (): { name: string; codec: Codec }[] =>
      (parts ??= fields.map((field, at) => ({
        name: field.name ?? `_${at + 1}`,
        codec: this.codec(field.type),
      })));
    const codec = structCodec(all);
    this.#structs.set(name, codec);
    return codec;
  }
}

function structCodec(parts: () => { name: string; codec: Codec }[]): Codec {
  return {
    put(out, value) {
      out.nested(() => {
        for (const { name, codec } of parts()) {
          codec.put(out, (value as Readonly<Record<string, unknown>>)[name]);
        }
        if (parts().length === 0) out.byte(0);
      });
    },
    get: (from) =>
      from.nested(() => {
        const value: Record<string, unknown> = {};
        for (const { name, codec } of parts()) value[name] = codec.get(from);
        if (parts().length === 0) from.small(0);
        return value;
      }),
  };
}
