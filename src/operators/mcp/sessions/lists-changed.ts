import type { JsonObject, Notification } from '../../../../protocols/json-rpc/message.ts'

/** What a client is told whose server was away: whatever changed meanwhile, nobody heard of. */
export const listsChanged = (kinds: readonly string[]): Notification[] =>
  listed
    .filter((kind) => kinds.includes(kind))
    .map((kind) => ({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }))

/** The same for a subscription, as far as it was granted. */
export const listsChangedIn = (granted: JsonObject): Notification[] =>
  listsChanged(listed.filter((kind) => granted[`${kind}ListChanged`] === true))

const listed = ['tools', 'prompts', 'resources']
