import { type Properties, record } from '../../config/schema/builders.ts'

const a2a = record(
  'Proxies an A2A agent: rewrites the address in the agent card to the gateway, records A2A methods and outcomes in logs, and formats local replies as JSON-RPC errors.',
  {},
)

/** Definitions of A2A agents. */
export const a2aDefinitions: Properties = { A2a: a2a }
