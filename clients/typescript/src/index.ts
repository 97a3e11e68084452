/** The client for browsers, and for Node that has WebSocket; node.ts has TCP and TLS. */
export { Bag } from './bag.js';
export { BadBytes, bytesOfHex, bytesOfText, hexOf } from './bytes.js';
export type { BytesErrc } from './bytes.js';
export { Client, SessionEnded } from './client.js';
export type {
  AskCredentials,
  AskOptions,
  ClientEvents,
  ClientOptions,
  Login,
  Outcome,
} from './client.js';
export type { Credentials, Output, Saved, SessionEvent, SessionOptions, State } from './events.js';
export type { Step } from './fields.js';
export type { Inflate } from './inflate.js';
export { decodeNames, differences, namesRequest } from './names.js';
export type { Difference, ServerNames } from './names.js';
export { Replica } from './replica.js';
export type { Change } from './replica.js';
export type { Fate } from './requests.js';
export { decodeAnswer, encodeAsk, methodId } from './rpc.js';
export type { Answer } from './rpc.js';
export { Schema } from './schema.js';
export type { Method, MethodDoc, SchemaDoc, TypeDoc } from './schema.js';
export { correctionOf, kCorrectMethod, kMoveMethod, kReadyMethod } from './space/methods.js';
export { reportValue } from './space/methods.js';
export { distance, kStill, since } from './space/locomotion.js';
export type {
  Correction,
  Locomotion,
  MoveAck,
  MoveReport,
  Position,
  Velocity,
} from './space/locomotion.js';
export { MoveDecoder } from './space/moves.js';
export type { MoveBatch, MoveGrid, SeenMove } from './space/moves.js';
export { OwnMove } from './space/own.js';
export type { OwnOptions } from './space/own.js';
export { RemoteClock } from './space/remote-clock.js';
export { MoveReplay, ShownOffset } from './space/replay.js';
export type { OffsetOptions, Step as MoveStep } from './space/replay.js';
export { decodeSight } from './space/sight.js';
export type { Enter, Scene, SightRecord } from './space/sight.js';
export { Snapshots } from './space/snapshots.js';
export type { SnapshotOptions } from './space/snapshots.js';
export { Space } from './space/space.js';
export type { SpaceOptions } from './space/space.js';
export { Seen, SpaceView } from './space/view.js';
export type { SpaceEvents, ViewOptions } from './space/view.js';
export { watchField } from './stubs.js';
export { Session } from './session.js';
export { webSockets } from './transport.js';
export type { Connection, Told, Transport, Transports, WebSocketClass } from './transport.js';
export { decodeValues, encodeValues } from './values.js';
export type { Codec, Variant } from './values.js';
export * as wire from './wire.js';
