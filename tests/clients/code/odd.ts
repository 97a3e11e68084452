// Written by `starbus client-code --language typescript --name odd odd.json`; do not edit it.
import { Schema, watchField } from 'starbus-client';
import type { AskOptions, Bag, Client, Outcome, SchemaDoc } from 'starbus-client';

/** `ns::Color`: the schema has no names of its values. */
export type Color = number;
/** `ns::union` */
export interface union_ {
  readonly template: Color;
  readonly _2: readonly number[];
}
/** `other::union` */
export interface other_union {
}
/** Properties `ns::(anonymous namespace)::State<int>`, as their own client sees them. */
export interface State_intState {
  readonly int: number;
  readonly row: union_;
  readonly "x y": Bag<bigint, Item>;
  readonly Watch: ReadonlyMap<Color, boolean>;
}
// `ns::Blob` is left out: a field of it is opaque.
/** Properties `ns::Item`, as their own client sees them. */
export interface Item {
  readonly "1st": number;
}

/** What a client asks: `base`. */
export class BaseCalls {
  protected readonly client: Client;
  constructor(client: Client) {
    this.client = client;
  }
  client_(arg1: number, options?: AskOptions): Promise<Outcome<undefined, never>> {
    return this.client.ask<undefined, never>("base.client", [arg1], options);
  }
  delete(options?: AskOptions): Promise<Outcome<boolean, never>> {
    return this.client.ask<boolean, never>("base.delete", [], options);
  }
}

/** What a client asks: `class`. */
export class ClassCalls extends BaseCalls {
  a_b(arg1: union_, options?: AskOptions): Promise<Outcome<readonly other_union[], never>> {
    return this.client.ask<readonly other_union[], never>("class.a-b", [arg1], options);
  }
  a_b_(options?: AskOptions): Promise<Outcome<undefined, never>> {
    return this.client.ask<undefined, never>("class.a_b", [], options);
  }
  // `blob` is left out: a type of it is opaque.
  delete_(arg1: string, options?: AskOptions): Promise<Outcome<boolean, never>> {
    return this.client.ask<boolean, never>("class.delete", [arg1], options);
  }
}

/** What a client asks: `parts`. */
export class PartsCalls {
  protected readonly client: Client;
  constructor(client: Client) {
    this.client = client;
  }
  constructor_(arg1: { readonly index: 0; readonly value: number } | { readonly index: 1; readonly value: string | null }, options?: AskOptions): Promise<Outcome<ReadonlyMap<string, readonly bigint[]>, never>> {
    return this.client.ask<ReadonlyMap<string, readonly bigint[]>, never>("parts.constructor", [arg1], options);
  }
}

/** A client that plays a `base`. */
export class Base extends BaseCalls {
  constructor(client: Client) {
    super(client);
  }
}

/** A client that plays a `class`. */
export class Class extends ClassCalls {
  /** Component `new`. */
  readonly new: PartsCalls;
  constructor(client: Client) {
    super(client);
    this.new = new PartsCalls(client);
  }
  /** Undefined: there is none now. It is changed in place. */
  get state(): State_intState | undefined {
    return this.client.properties as State_intState | undefined;
  }
  /** Runs when the property has changed. Returns what ends it. */
  watch<N extends string & keyof State_intState>(
    name: N,
    told: (value: State_intState[N]) => void,
  ): () => void {
    return watchField<State_intState, N>(this.client, name, told);
  }
}

/** What the server calls at the client: `client`. */
export interface client {
  hear(arg1: number): void;
  operator(arg1: readonly []): void;
  // `raw` is left out: a type of it is opaque.
}
/** Hands the calls of the server to `to`. */
export function handleclient(client: Client, to: client): void {
  client.handle("client.hear", schema.heard("client.hear"), (arg1: number) => to.hear(arg1));
  client.handle("client.operator", schema.heard("client.operator"), (arg1: readonly []) => to.operator(arg1));
}

const doc: SchemaDoc = {
  "client_hashes": [
    "00000000000000bb"
  ],
  "rpc": {
    "classes": [
      {
        "name": "base",
        "methods": [
          {
            "name": "client",
            "id": "94931031",
            "signature": "092f0ca8",
            "callers": [
              "own_client"
            ],
            "arguments": [
              "u8"
            ],
            "answer": null
          },
          {
            "name": "delete",
            "id": "a21baa7d",
            "signature": "89b5bc34",
            "callers": [
              "own_client"
            ],
            "arguments": [],
            "answer": "bool"
          }
        ]
      },
      {
        "name": "class",
        "methods": [
          {
            "name": "a-b",
            "id": "73eadde9",
            "signature": "f2403f5d",
            "callers": [
              "own_client"
            ],
            "arguments": [
              {
                "struct": "ns::union"
              }
            ],
            "answer": {
              "list": {
                "struct": "other::union"
              }
            }
          },
          {
            "name": "a_b",
            "id": "832006bb",
            "signature": "0262eacf",
            "callers": [
              "own_client"
            ],
            "arguments": [],
            "answer": null
          },
          {
            "name": "blob",
            "id": "3d995fac",
            "signature": "aecc25b0",
            "callers": [
              "own_client"
            ],
            "arguments": [
              {
                "opaque": "raw"
              }
            ],
            "answer": null
          },
          {
            "name": "delete",
            "id": "0ca89b20",
            "signature": "89b5bc34",
            "callers": [
              "own_client"
            ],
            "arguments": [
              "string"
            ],
            "answer": "bool"
          }
        ]
      },
      {
        "name": "parts",
        "methods": [
          {
            "name": "constructor",
            "id": "9f721fd3",
            "signature": "d5cb2d2d",
            "callers": [
              "own_client"
            ],
            "arguments": [
              {
                "variant": [
                  "i32",
                  {
                    "optional": "string"
                  }
                ]
              }
            ],
            "answer": {
              "map": [
                "string",
                {
                  "list": "i64"
                }
              ]
            }
          }
        ]
      }
    ]
  },
  "clients": [
    {
      "name": "client",
      "methods": [
        {
          "name": "hear",
          "id": "06561270",
          "signature": "66155f3b",
          "arguments": [
            "i32"
          ]
        },
        {
          "name": "operator",
          "id": "e458fac0",
          "signature": "98170b67",
          "arguments": [
            {
              "tuple": []
            }
          ]
        },
        {
          "name": "raw",
          "id": "ae0447d6",
          "signature": "5ea1c507",
          "arguments": [
            {
              "opaque": "raw"
            }
          ]
        }
      ]
    }
  ],
  "properties": [
    {
      "name": "ns::(anonymous namespace)::State<int>",
      "of_entity": true,
      "hash": "00000000000000cc",
      "fields": [
        {
          "name": "int",
          "index": 1,
          "flags": [
            "own_client"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "row",
          "index": 2,
          "flags": [
            "own_client"
          ],
          "signature": "{}",
          "type": {
            "struct": "ns::union"
          }
        },
        {
          "name": "x y",
          "index": 4,
          "flags": [
            "own_client"
          ],
          "signature": "bag[i64]",
          "type": {
            "bag": [
              "i64",
              {
                "properties": "ns::Item"
              }
            ]
          },
          "capacity": 2
        },
        {
          "name": "Watch",
          "index": 5,
          "flags": [
            "own_client"
          ],
          "signature": "m",
          "type": {
            "map": [
              {
                "enum": "ns::Color",
                "of": "u8"
              },
              "bool"
            ]
          }
        }
      ]
    },
    {
      "name": "ns::Blob",
      "of_entity": true,
      "hash": "00000000000000dd",
      "fields": [
        {
          "name": "raw",
          "index": 1,
          "flags": [
            "own_client"
          ],
          "signature": "bytes",
          "type": {
            "opaque": "raw"
          }
        }
      ]
    },
    {
      "name": "ns::Item",
      "of_entity": false,
      "hash": "00000000000000ee",
      "fields": [
        {
          "name": "1st",
          "index": 1,
          "flags": [
            "own_client"
          ],
          "signature": "d",
          "type": {
            "duration": "u32",
            "period": [
              1,
              60
            ]
          }
        }
      ]
    }
  ],
  "structs": {
    "ns::union": [
      {
        "name": "template",
        "type": {
          "enum": "ns::Color",
          "of": "u8"
        }
      },
      {
        "type": {
          "array": "u8",
          "size": 4
        }
      }
    ],
    "other::union": []
  }
};

/** For the option `schema` of a Client. */
export const schema = new Schema(doc);
