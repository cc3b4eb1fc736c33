import { createInterface } from 'node:readline'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Id, isNotification, isRequest, type Message } from '../../../src/protocols/json-rpc/message.ts'
import { everythingLegacy } from './everything-legacy.ts'
import { everythingModern, isModern } from './everything-modern.ts'
import { Hub } from './hub.ts'
import { Tasks } from './tasks.ts'

/**
 * The fixture over stdin and stdout. `--era legacy` or `--era modern` disables the other one. A line of JSON that is
 * not a message is ignored.
 */
const era = process.argv[process.argv.indexOf('--era') + 1] ?? 'both'

const say = (message: object) => {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

const hub = new Hub()
const tasks = new Tasks()
const supported = era === 'modern' ? ['2026-07-28'] : ['2026-07-28', '2025-11-25']

/** Active requests of the newer revision, so that they can be cancelled. */
const underWay = new Map<Id, AbortController>()

const transport: Transport = {
  start: () => Promise.resolve(),
  send: (message) => {
    say(message)
    return Promise.resolve()
  },
  close: () => Promise.resolve(),
}

if (era !== 'modern') await everythingLegacy(hub).connect(transport)

const modern = (message: Message): boolean => {
  if (isRequest(message) && (era === 'modern' || (era !== 'legacy' && isModern(message)))) {
    const { id } = message
    const abort = new AbortController()
    underWay.set(id, abort)
    const tell = (method: string, params: object) => {
      if (!abort.signal.aborted) say({ jsonrpc: '2.0', method, params })
    }
    void everythingModern({ hub, tasks, supported }, message, tell, abort.signal).then((outcome) => {
      underWay.delete(id)
      if (!abort.signal.aborted) say({ jsonrpc: '2.0', id, ...outcome })
    })
    return true
  }
  const cancelled =
    isNotification(message) && message.method === 'notifications/cancelled' ? message.params : undefined
  const abort = underWay.get(cancelled?.requestId as Id)
  abort?.abort()
  return abort !== undefined || era === 'modern'
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message
  if (!modern(message)) transport.onmessage?.(message as JSONRPCMessage)
}
process.exit(0)
