import { createHmac, timingSafeEqual } from 'node:crypto'
import type { JsonObject, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import {
  type InputResponses,
  type Change,
  FixtureError,
  type FixtureRequest,
  type InputRequest,
} from './fixture-request.ts'
import { levels } from './levels.ts'

/** The receiver of notifications of a request. */
export type SendNotification = (method: string, params: JsonObject) => void

/** Thrown by a handler that needs responses of the client before it can continue. */
export class InputRequired extends Error {
  readonly result: JsonObject

  constructor(inputs: Record<string, InputRequest>, requestState: string | undefined) {
    super('input required')
    this.result = {
      resultType: 'input_required',
      inputRequests: inputs,
      ...(requestState === undefined ? {} : { requestState }),
    }
  }
}

const metaName = 'io.modelcontextprotocol/'

/** @returns The context of a handler of the fixture for a request of 2026-07-28. */
export const modernRequest = (
  { params = {} }: JsonRpcRequest,
  sendNotification: SendNotification,
  changed: (change: Change) => void,
): FixtureRequest => {
  const meta = params._meta as JsonObject
  const capabilities = meta[`${metaName}clientCapabilities`] as JsonObject
  const rounds = { asked: 0, answered: unseal(params.requestState) }
  return {
    args: (params.arguments ?? {}) as JsonObject,
    capabilities,
    log: (data) => {
      const level = meta[`${metaName}logLevel`]
      if (typeof level === 'string' && levels.indexOf('info') >= levels.indexOf(level))
        sendNotification('notifications/message', { level: 'info', data })
      return Promise.resolve()
    },
    progress: (progress, total) => {
      const { progressToken } = meta
      if (progressToken !== undefined)
        sendNotification('notifications/progress', { progressToken, progress, total })
      return Promise.resolve()
    },
    requestInput: (inputs, sealed = false) =>
      ask(rounds, inputs, sealed, params.inputResponses, capabilities),
    hangUp: () => undefined,
    changed,
  }
}

interface Rounds {
  asked: number
  /** Responses of earlier rounds, in order. */
  readonly answered: InputResponses[]
}

/** A handler is run again for each round, and earlier responses are in the state. */
const ask = (
  rounds: Rounds,
  inputs: Record<string, InputRequest>,
  sealed: boolean,
  responses: unknown,
  capabilities: JsonObject,
): InputResponses => {
  const before = rounds.answered[rounds.asked]
  rounds.asked += 1
  if (before !== undefined) return before
  const missing = Object.values(inputs)
    .map(({ method }) => method.split('/')[0] ?? '')
    .filter((name) => capabilities[name] === undefined)
  if (missing.length > 0)
    throw new FixtureError(-32021, 'the client cannot answer', {
      requiredCapabilities: Object.fromEntries(missing.map((name) => [name, {}])),
    })
  // Responses belong to the first request without one.
  if (rounds.asked === rounds.answered.length + 1 && responses !== undefined) {
    if (!isObject(responses)) throw new FixtureError(-32602, 'inputResponses must be an object')
    const answers = Object.entries(inputs).map(
      ([key, { method }]) => [key, valid(method, responses[key])] as const,
    )
    if (answers.every(([, answer]) => answer !== undefined)) {
      const round = Object.fromEntries(answers) as InputResponses
      rounds.answered.push(round)
      return round
    }
  }
  throw new InputRequired(inputs, sealed ? seal(rounds.answered) : undefined)
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const valid = (method: string, answer: unknown): JsonObject | undefined => {
  if (!isObject(answer)) return undefined
  const fits =
    method === 'elicitation/create'
      ? ['accept', 'decline', 'cancel'].includes(String(answer.action))
      : method === 'roots/list'
        ? Array.isArray(answer.roots)
        : isObject(answer.content) || Array.isArray(answer.content)
  return fits ? answer : undefined
}

/** The same in every process, so that any replica of the fixture can continue. */
const key = 'a key that everybody may know'

const signature = (text: string) => createHmac('sha256', key).update(text).digest()

const seal = (answered: readonly InputResponses[]): string => {
  const text = Buffer.from(JSON.stringify(answered)).toString('base64url')
  return `${text}.${signature(text).toString('base64url')}`
}

const unseal = (state: unknown): InputResponses[] => {
  if (state === undefined) return []
  const [text = '', signed = '', ...more] = typeof state === 'string' ? state.split('.') : []
  const expected = Buffer.from(signature(text).toString('base64url'))
  const given = Buffer.from(signed)
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new FixtureError(-32602, 'requestState is not from here')
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as InputResponses[]
}
