import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import { Redaction } from '../../model/redact.ts'
import { type Shown, shown } from '../dump/value.ts'

/**
 * Policies in force as traces show them: named and written as in a file, with null for what could be there and is not.
 * One object per compiled thing, so that its JSON is made once.
 */
export const effective = (phase: 'gateway' | 'route' | 'backend', policies: object): Shown => {
  const given = Object.entries(policies)
  if (given.length === 0) return none[phase]
  const present = given.map(([name, policy]) => [names.get(name) ?? name, shown(policy, hiding)] as const)
  return { ...none[phase], ...Object.fromEntries(present) }
}

/** The same for what holds before any listener does: what of it concerns single requests. */
export const effectiveFrontend = ({ accessLog }: FrontendPolicies): Shown =>
  accessLog ? { accessLog: shown(accessLog, hiding) } : {}

/** Whoever encodes it takes credentials out once more, knowing the names that were configured. */
const hiding = { redaction: new Redaction(), secrets: [] }

/** Policies that events call otherwise than files. */
const names: ReadonlyMap<string, string> = new Map([
  ['ai', 'llm'],
  ['jwtAuth', 'jwt'],
  ['transformations', 'transformation'],
])

const absent = (text: string): Shown => Object.fromEntries(text.split(/\s+/).map((name) => [name, null]))

/** What consumers of traces find in every event, in this order. */
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
