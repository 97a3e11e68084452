// Written by `starbus client-code --language typescript --name heroes heroes.json`; do not edit it.
import { Schema, watchField } from 'starbus-client';
import type { AskOptions, Bag, Client, Outcome, SchemaDoc, Seen } from 'starbus-client';

/** `starbus::clients_test::Rank`: the schema has no names of its values. */
export type Rank = number;
/** `starbus::clients_test::Refusal`: the schema has no names of its values. */
export type Refusal = number;
/** `starbus::Code` */
export interface Code {
  readonly _1: number;
  readonly _2: number;
}
/** `starbus::Error` */
export interface starbus_Error {
  readonly _1: Code;
  readonly _2: string;
}
/** `starbus::clients_test::Nothing` */
export interface Nothing {
}
/** `starbus::clients_test::Order` */
export interface Order {
  readonly item: bigint;
  readonly notes: readonly string[];
  readonly _3: Rank | null;
}
/** `starbus::clients_test::Point` */
export interface Point {
  readonly x: number;
  readonly y: number;
}
/** `starbus::clients_test::Tree` */
export interface Tree {
  readonly value: number;
  readonly below: readonly Tree[];
}
/** Properties `starbus::clients_test::Gem`, as their own client sees them. */
export interface Gem {
  readonly power: number;
  readonly flaw: number;
}
/** Properties `starbus::clients_test::Gem`, as other clients see them. */
export interface GemSeen {
  readonly power: number;
}
/** Properties `starbus::clients_test::Hero`, as their own client sees them. */
export interface HeroState {
  readonly gold: bigint;
  readonly nick: string;
  readonly at: Point;
  readonly route: readonly number[];
  readonly stats: Stats;
  readonly marks: readonly string[];
  readonly prices: ReadonlyMap<string, number>;
  readonly places: ReadonlyMap<bigint, Point>;
  readonly items: Bag<bigint, Item>;
}
/** Properties `starbus::clients_test::Hero`, as other clients see them. */
export interface HeroSeen {
  readonly nick: string;
  readonly mood: number;
  readonly at: Point;
  readonly stats: StatsSeen;
  readonly items: Bag<bigint, ItemSeen>;
}
/** Properties `starbus::clients_test::Item`, as their own client sees them. */
export interface Item {
  readonly kind: number;
  readonly count: number;
  readonly gems: Bag<string, Gem>;
}
/** Properties `starbus::clients_test::Item`, as other clients see them. */
export interface ItemSeen {
  readonly kind: number;
  readonly glow: number;
  readonly gems: Bag<string, GemSeen>;
}
/** Properties `starbus::clients_test::Stats`, as their own client sees them. */
export interface Stats {
  readonly strength: number;
  readonly seen: bigint;
}
/** Properties `starbus::clients_test::Stats`, as other clients see them. */
export interface StatsSeen {
  readonly strength: number;
}

/** What a client asks: `shop`. */
export class ShopCalls {
  protected readonly client: Client;
  constructor(client: Client) {
    this.client = client;
  }
  buy(arg1: bigint, arg2: string, options?: AskOptions): Promise<Outcome<number, starbus_Error>> {
    return this.client.ask<number, starbus_Error>("shop.buy", [arg1, arg2], options);
  }
  haggle(arg1: Order, options?: AskOptions): Promise<Outcome<Order, Refusal>> {
    return this.client.ask<Order, Refusal>("shop.haggle", [arg1], options);
  }
  leave(options?: AskOptions): Promise<Outcome<undefined, never>> {
    return this.client.ask<undefined, never>("shop.leave", [], options);
  }
}

/** A client that plays a `hero`. */
export class Hero extends ShopCalls {
  constructor(client: Client) {
    super(client);
  }
  /** Undefined: there is none now. It is changed in place. */
  get state(): HeroState | undefined {
    return this.client.properties as HeroState | undefined;
  }
  /** Runs when the property has changed. Returns what ends it. */
  watch<N extends string & keyof HeroState>(
    name: N,
    told: (value: HeroState[N]) => void,
  ): () => void {
    return watchField<HeroState, N>(this.client, name, told);
  }
}

/** What the server calls at the client: `hero_client`. */
export interface HeroClient {
  said(arg1: string, arg2: string): void;
  shown(arg1: Tree, arg2: { readonly index: 0; readonly value: number } | { readonly index: 1; readonly value: string }, arg3: readonly [number, string, boolean], arg4: readonly string[], arg5: readonly number[], arg6: ReadonlyMap<string, bigint>, arg7: Order | null, arg8: bigint, arg9: Nothing, arg10: number, arg11: Uint8Array): void;
}
/** Hands the calls of the server to `to`. */
export function handleHeroClient(client: Client, to: HeroClient): void {
  client.handle("hero_client.said", schema.heard("hero_client.said"), (arg1: string, arg2: string) => to.said(arg1, arg2));
  client.handle("hero_client.shown", schema.heard("hero_client.shown"), (arg1: Tree, arg2: { readonly index: 0; readonly value: number } | { readonly index: 1; readonly value: string }, arg3: readonly [number, string, boolean], arg4: readonly string[], arg5: readonly number[], arg6: ReadonlyMap<string, bigint>, arg7: Order | null, arg8: bigint, arg9: Nothing, arg10: number, arg11: Uint8Array) => to.shown(arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11));
}

/** Whether it is a `hero`, whose properties are typed then. */
export function isHero(seen: Seen): seen is Seen<HeroSeen> {
  return seen.className === "hero";
}

const doc: SchemaDoc = {
  "client_hashes": [
    "0000000000000001"
  ],
  "rpc": {
    "classes": [
      {
        "name": "shop",
        "methods": [
          {
            "name": "buy",
            "id": "b3f5b22b",
            "signature": "0e54d423",
            "callers": [
              "own_client"
            ],
            "arguments": [
              "i64",
              "string"
            ],
            "answer": "i32",
            "refusal": {
              "struct": "starbus::Error"
            }
          },
          {
            "name": "haggle",
            "id": "dc64c62b",
            "signature": "053a19e1",
            "callers": [
              "own_client"
            ],
            "arguments": [
              {
                "struct": "starbus::clients_test::Order"
              }
            ],
            "answer": {
              "struct": "starbus::clients_test::Order"
            },
            "refusal": {
              "enum": "starbus::clients_test::Refusal",
              "of": "u8"
            }
          },
          {
            "name": "leave",
            "id": "03ae4a80",
            "signature": "cbed20b1",
            "callers": [
              "own_client"
            ],
            "arguments": [],
            "answer": null
          }
        ]
      }
    ]
  },
  "clients": [
    {
      "name": "hero_client",
      "methods": [
        {
          "name": "said",
          "id": "3d4d71c4",
          "signature": "ac607060",
          "arguments": [
            "string",
            "string"
          ]
        },
        {
          "name": "shown",
          "id": "46cb8d2e",
          "signature": "0c76351e",
          "arguments": [
            {
              "struct": "starbus::clients_test::Tree"
            },
            {
              "variant": [
                "i32",
                "string"
              ]
            },
            {
              "tuple": [
                "i32",
                "string",
                "bool"
              ]
            },
            {
              "set": "string"
            },
            {
              "array": "i32",
              "size": 3
            },
            {
              "map": [
                "string",
                "i64"
              ]
            },
            {
              "optional": {
                "struct": "starbus::clients_test::Order"
              }
            },
            {
              "duration": "i64",
              "period": [
                1,
                1000
              ]
            },
            {
              "struct": "starbus::clients_test::Nothing"
            },
            "f64",
            "bytes"
          ]
        }
      ]
    }
  ],
  "properties": [
    {
      "name": "starbus::clients_test::Gem",
      "of_entity": false,
      "hash": "8f60dbfc997f96be",
      "fields": [
        {
          "name": "power",
          "index": 1,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "flaw",
          "index": 2,
          "flags": [
            "own_client"
          ],
          "signature": "i32",
          "type": "i32"
        }
      ]
    },
    {
      "name": "starbus::clients_test::Hero",
      "of_entity": true,
      "hash": "a7251b84e098f6a6",
      "fields": [
        {
          "name": "gold",
          "index": 1,
          "flags": [
            "own_client"
          ],
          "signature": "i64",
          "type": "i64"
        },
        {
          "name": "nick",
          "index": 2,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "str",
          "type": "string"
        },
        {
          "name": "mood",
          "index": 4,
          "flags": [
            "other_clients"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "at",
          "index": 5,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "{f32,f32}",
          "type": {
            "struct": "starbus::clients_test::Point"
          }
        },
        {
          "name": "route",
          "index": 6,
          "flags": [
            "own_client"
          ],
          "signature": "{[i32]}",
          "type": {
            "list": "i32"
          }
        },
        {
          "name": "stats",
          "index": 7,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "struct",
          "type": {
            "properties": "starbus::clients_test::Stats"
          }
        },
        {
          "name": "marks",
          "index": 8,
          "flags": [
            "own_client"
          ],
          "signature": "list[str]",
          "type": {
            "list": "string"
          }
        },
        {
          "name": "prices",
          "index": 9,
          "flags": [
            "own_client"
          ],
          "signature": "map[str,i32]",
          "type": {
            "map": [
              "string",
              "i32"
            ]
          }
        },
        {
          "name": "places",
          "index": 10,
          "flags": [
            "own_client"
          ],
          "signature": "map[i64,{f32,f32}]",
          "type": {
            "map": [
              "i64",
              {
                "struct": "starbus::clients_test::Point"
              }
            ]
          }
        },
        {
          "name": "items",
          "index": 11,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "bag[i64]",
          "type": {
            "bag": [
              "i64",
              {
                "properties": "starbus::clients_test::Item"
              }
            ]
          },
          "capacity": 4
        }
      ]
    },
    {
      "name": "starbus::clients_test::Item",
      "of_entity": false,
      "hash": "5577b054574450d7",
      "fields": [
        {
          "name": "kind",
          "index": 1,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "count",
          "index": 2,
          "flags": [
            "own_client"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "glow",
          "index": 3,
          "flags": [
            "other_clients"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "gems",
          "index": 5,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "bag[str]",
          "type": {
            "bag": [
              "string",
              {
                "properties": "starbus::clients_test::Gem"
              }
            ]
          },
          "capacity": 3
        }
      ]
    },
    {
      "name": "starbus::clients_test::Stats",
      "of_entity": false,
      "hash": "55e595887e58fab6",
      "fields": [
        {
          "name": "strength",
          "index": 1,
          "flags": [
            "own_client",
            "other_clients"
          ],
          "signature": "i32",
          "type": "i32"
        },
        {
          "name": "seen",
          "index": 2,
          "flags": [
            "own_client"
          ],
          "signature": "u64",
          "type": "u64"
        }
      ]
    }
  ],
  "structs": {
    "starbus::Code": [
      {
        "type": "u16"
      },
      {
        "type": "u16"
      }
    ],
    "starbus::Error": [
      {
        "type": {
          "struct": "starbus::Code"
        }
      },
      {
        "type": "string"
      }
    ],
    "starbus::clients_test::Nothing": [],
    "starbus::clients_test::Order": [
      {
        "name": "item",
        "type": "i64"
      },
      {
        "name": "notes",
        "type": {
          "list": "string"
        }
      },
      {
        "type": {
          "optional": {
            "enum": "starbus::clients_test::Rank",
            "of": "u8"
          }
        }
      }
    ],
    "starbus::clients_test::Point": [
      {
        "name": "x",
        "type": "f32"
      },
      {
        "name": "y",
        "type": "f32"
      }
    ],
    "starbus::clients_test::Tree": [
      {
        "name": "value",
        "type": "i32"
      },
      {
        "name": "below",
        "type": {
          "list": {
            "struct": "starbus::clients_test::Tree"
          }
        }
      }
    ]
  }
};

/** For the option `schema` of a Client. */
export const schema = new Schema(doc);
