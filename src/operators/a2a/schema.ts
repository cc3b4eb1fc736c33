import { type Properties, record } from '../../config/schema/builders.ts'

const a2a = record(
  'Stands in front of an A2A agent: its card says that it lives at the gateway, logs say what it was asked and how that went, and errors of the gateway are told as JSON-RPC.',
  {},
)

/** Definitions about agents. */
export const a2aDefinitions: Properties = { A2a: a2a }
