import type { JsonObject, Notification } from '../../../protocols/json-rpc/message.ts'

/** Notifications for a client whose server was away: changes may have been missed. */
export const listsChanged = (kinds: readonly string[]): Notification[] =>
  listed
    .filter((kind) => kinds.includes(kind))
    .map((kind) => ({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }))

/** The same for a subscription, limited to what was granted. */
export const listsChangedIn = (granted: JsonObject): Notification[] =>
  listsChanged(listed.filter((kind) => granted[`${kind}ListChanged`] === true))

const listed = ['tools', 'prompts', 'resources']
