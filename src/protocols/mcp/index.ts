/**
 * The Model Context Protocol as values, without sockets: its messages, revisions and headers, and the merging of
 * several servers. For programs that inspect messages or federate servers themselves.
 *
 * @module
 */
export type { JsonObject } from '../json/json-object.ts'
export { encodeMessage, encodeNotification, encodeRpcRequest, encodeResponse } from '../json-rpc/encode.ts'
export {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from '../json-rpc/error-codes.ts'
export {
  type ErrorObject,
  type Id,
  isNotification,
  isRequest,
  isResponse,
  type Message,
  type Notification,
  type Outcome,
  type JsonRpcRequest,
  type Response,
} from '../json-rpc/message.ts'
export {
  type NoMessage,
  type Parsed,
  type ParsedMessage,
  parseMessage,
  parseMessages,
} from '../json-rpc/parse.ts'
export { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION } from './errors.ts'
export {
  type InputRequest,
  type InputRequired,
  inputRequestsOf,
  inputRequired,
  inputResponsesOf,
  isInputRequired,
} from './input-required.ts'
export {
  type Collision,
  collisions,
  mergeDiscover,
  mergeInitialize,
  type MergeOptions,
  type MergeInput,
} from './merge.ts'
export { readMeta, type RequestMeta, withMeta } from './meta.ts'
export { listMethodOf, type ListShape, type Subject, subjectOf } from './methods.ts'
export { Names, type OwnId, type OwnName, type OwnUri, type PrefixMode } from './target-prefixes.ts'
export {
  mirrorParams,
  mismatchedParam,
  type ParamHeader,
  type ParamHeaders,
  paramHeaders,
} from './param-headers.ts'
export {
  allowsBatches,
  isModern,
  isRevision,
  legacyRevisionFor,
  newestLegacy,
  newestModern,
  type Revision,
  revisions,
} from './revisions.ts'
export {
  decodeHeaderValue,
  encodeHeaderValue,
  type HeaderFields,
  type HeaderMismatch,
  mismatchedHeader,
  standardHeaders,
} from './standard-headers.ts'
export { fitsTemplate } from './uri-template.ts'
