/** The bytes of calls and of their answers: docs/guide/rpc.md, section "Bytes". Pure functions. */
import { BadBytes, Writer, bytesOfText } from './bytes.js';
import type { Method } from './schema.js';
import { ValueReader, encodeValues } from './values.js';

const kCallForm = 0xa1;
const kAnswerForm = 0xa8;
const kMaxDetail = 255;
const kMaxCode = 0xffff;
/** The domain of the errors that a call itself ends with. */
const kRpcDomain = 4;
const kRpcErrors: readonly string[] = [
  '',
  'rpc_not_found',
  'bad_arguments',
  'not_permitted',
  'no_such_entity',
  'no_such_component',
  'signature_mismatch',
  'refused',
  'failed',
  'destroyed',
  'canceled',
  'deadline',
  'would_block',
  'bus',
  'bad_bytes',
  'too_large',
  'closed',
];

/** 32 bits of FNV-1a. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of bytesOfText(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
/** The number of a method on the wire: of `class.method`. */
export function methodId(name: string): number {
  return hashOf(name);
}

/** The body of an Ask. The gate says on whose behalf. Throws BadBytes for other arguments. */
export function encodeAsk(method: Method, args: readonly unknown[]): Uint8Array {
  const out = new Writer();
  out.byte(kCallForm);
  out.byte(0);
  out.u32(method.id);
  out.u32(method.signature);
  out.raw(encodeValues(method.args, args));
  return out.bytes();
}

export type Answer<V = any, R = any> =
  | { fate: 'replied'; value: V }
  /** The method's own error. */
  | { fate: 'refused'; refusal: R }
  /** An error of the call; docs/reference/errors.md says whether the method ran. */
  | { fate: 'failed'; domain: number; number: number; name: string; text: string };

/** Throws BadBytes for what is no answer of this method. */
export function decodeAnswer(method: Method, bytes: Uint8Array): Answer {
  const from = new ValueReader(bytes);
  if (from.byte() !== kAnswerForm) throw new BadBytes('malformed', 'not an answer');
  const answer = readAnswer(method, from.byte(), from);
  from.finish();
  return answer;
}
function readAnswer(method: Method, kind: number, from: ValueReader): Answer {
  if (kind === 0) return { fate: 'replied', value: method.answer?.get(from) };
  if (kind === 1 && method.refusal !== undefined) {
    return { fate: 'refused', refusal: method.refusal.get(from) };
  }
  if (kind !== 2) throw new BadBytes('malformed', 'an answer of another method');
  const domain = from.small(kMaxCode);
  const number = from.small(kMaxCode);
  if (domain === 0 || number === 0) throw new BadBytes('malformed', 'an error without a code');
  const text = from.anyText(kMaxDetail);
  const name = domain === kRpcDomain ? kRpcErrors[number] : undefined;
  return { fate: 'failed', domain, number, name: name ?? `${domain}.${number}`, text };
}
