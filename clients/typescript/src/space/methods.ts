/**
 * The methods that every client of a game with spaces knows: docs/reference/client-protocol.md,
 * section "Bodies of packets". They are those of the server's MoveReport, MoveAck and Correction.
 */
import { hashOf, methodId } from '../rpc.js';
import { Schema } from '../schema.js';
import type { FieldDoc, Method, TypeDoc } from '../schema.js';
import type { Correction, Locomotion, MoveReport } from './locomotion.js';

const kMove = '{f32,f32,f32,f32,f32,f32,f32,f32,u32,u8,u8,b}';
const kMoveFields: readonly FieldDoc[] = [
  ...['x', 'y', 'z', 'vx', 'vy', 'vz', 'heading', 'pitch'].map((name) => ({ name, type: 'f32' })),
  { name: 'at', type: 'u32' },
  { name: 'mode', type: 'u8' },
  { name: 'teleports', type: 'u8' },
  { name: 'grounded', type: 'bool' },
];
const move = { name: 'move', type: { struct: 'Locomotion' } };
const words = (...names: string[]): FieldDoc[] => names.map((name) => ({ name, type: 'u32' }));
const types = new Schema({
  rpc: { classes: [] },
  properties: [],
  structs: {
    Locomotion: kMoveFields,
    MoveReport: [...words('epoch', 'number', 'clientMs'), move],
    MoveAck: words('epoch', 'number'),
    Correction: [...words('epoch', 'number'), { name: 'teleport', type: 'bool' }, move],
  },
});
function methodOf(name: string, signature: string, args: TypeDoc, answer?: TypeDoc): Method {
  const refusal = undefined;
  return {
    name,
    id: methodId(name),
    signature: hashOf(signature),
    args: [types.codec(args)],
    answer: answer === undefined ? undefined : types.codec(answer),
    refusal,
  };
}

/** Asked: the scene of that number is loaded. The answer is false if there is a later one. */
export const kReadyMethod = methodOf('starbus_space.ready', '(u32)->b', 'u32', 'bool');
/** Asked: the player has moved. The answer is an ack. */
export const kMoveMethod = methodOf(
  'starbus_space.move',
  `({u32,u32,u32,${kMove}})->{u32,u32}`,
  { struct: 'MoveReport' },
  { struct: 'MoveAck' },
);
/** Heard: the player is elsewhere. */
export const kCorrectMethod = methodOf(
  'starbus_space.correct',
  `({u32,u32,b,${kMove}})`,
  { struct: 'Correction' },
);

/** The argument of kMoveMethod. */
export function reportValue({ move: at, ...report }: MoveReport): object {
  const { position: p, velocity: v, ...rest } = at;
  const flat = { x: p.x, y: p.y, z: p.z, vx: v.x, vy: v.y, vz: v.z, ...rest };
  return { ...report, move: flat };
}
/** Of the argument of kCorrectMethod; undefined: a place that is none. */
export function correctionOf(value: any): Correction | undefined {
  const { x, y, z, vx, vy, vz, ...rest } = value.move;
  const position = { x, y, z };
  const velocity = { x: vx, y: vy, z: vz };
  const numbers = [x, y, z, vx, vy, vz, rest.heading, rest.pitch];
  if (!numbers.every(Number.isFinite)) return undefined;
  return { ...value, move: { ...rest, position, velocity } as Locomotion };
}
