import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import { Redaction } from '../../model/trace/redact.ts'
import { type Printed, printed } from '../dump/value.ts'
import { policyRows } from '../policies.ts'

/**
 * The effective policies in trace events: named and written as in a file, with null for absent ones of the fixed
 * list. One object per compiled resource, so that its JSON is made once.
 */
export const effective = (phase: 'gateway' | 'route' | 'backend', policies: object): Printed => {
  const given = Object.entries(policies)
  if (given.length === 0) return none[phase]
  const present = given.map(([name, policy]) => [tracedName(name), printed(policy, hiding)] as const)
  return { ...none[phase], ...Object.fromEntries(present) }
}

/** The same for the frontend policies: those about single requests. */
export const effectiveFrontend = ({ accessLog }: FrontendPolicies): Printed =>
  accessLog ? { accessLog: printed(accessLog, hiding) } : {}

/** The encoder of events redacts once more, with the configured names. */
const hiding = { redaction: new Redaction(), secrets: [] }

/** The name of a policy in trace events. For a few it differs from the field. */
const tracedName = (name: string): string => tracedNames.get(name) ?? name
const tracedNames = new Map(policyRows.map(([name, { tracedAs = name }]) => [name, tracedAs]))

const absent = (text: string): Printed => Object.fromEntries(text.split(/\s+/).map((name) => [name, null]))

/** Part of the format of trace events: fields that each event has, in this order. Other policies follow if present. */
const none = {
  gateway: absent('cors extProc oidc jwt authorization extAuthz transformation basicAuth apiKey buffer'),
  route: absent(
    `localRateLimit remoteRateLimit authorization jwt oidc basicAuth apiKey extAuthz extProc transformation csrf
      directResponse llm timeout retry delay requestHeaderModifier responseHeaderModifier requestRedirect urlRewrite
      hostnameRewrite requestMirror cors buffer`,
  ),
  backend: {
    ...absent('authorization extAuthz responseHeaderModifier'),
    requestMirror: [],
    transformation: null,
  },
} as const
