import type { ReplayChange, ReplayedRequest } from './replayed-request.ts'

/** The result of a replay. */
export interface ReplaySummary {
  readonly total: number
  readonly same: number
  readonly changed: number
  /** They could not be sent, or got no response. */
  readonly failed: number
  /** Names of redacted fields that nothing replaced. */
  readonly missingCredentials: readonly string[]
  /** How many requests were sent without their whole body, which the record does not have. */
  readonly cutBodies: number
  /** Policies that were left out, because they depend on the outside. */
  readonly notReplayed: readonly { readonly policy: string; readonly of: string; readonly why: string }[]
}

/** One request: a line, and one for each change. */
export const printReplayed = ({ method, url, outcome, changes, failure }: ReplayedRequest): string => {
  const sign = failure !== undefined ? '!' : changes.length > 0 ? '~' : '='
  const way = [outcome.status, outcome.route, outcome.backend].filter((part) => part !== undefined).join(' ')
  return [`${sign} ${method} ${url}: ${failure ?? way}`, ...changes.map(changeLine)]
    .map((line) => `${line}\n`)
    .join('')
}

/** The end of the output: numbers, and what was not replayed. */
export const printReplaySummary = ({
  total,
  same,
  changed,
  failed,
  missingCredentials,
  cutBodies,
  notReplayed,
}: ReplaySummary): string => {
  const lines = [
    '',
    `${String(total)} requests: ${String(same)} the same, ${String(changed)} changed, ${String(failed)} failed`,
    ...(missingCredentials.length === 0
      ? []
      : [`Redacted in the record, and not sent: ${missingCredentials.join(', ')} (--header supplies them)`]),
    ...(cutBodies === 0
      ? []
      : [`Sent without their whole body, which the record does not have: ${String(cutBodies)} requests`]),
    ...(notReplayed.length === 0 ? [] : ['Not replayed:']),
    ...notReplayed.map(({ policy, of, why }) => `  ${policy} of ${of}: ${why}`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const changeLine = ({ part, name, before, after }: ReplayChange): string =>
  `    ${name === undefined ? part : `${part} ${name}`}: ${shown(before)} → ${shown(after)}`

const shown = (text: string | undefined): string => {
  if (text === undefined) return 'none'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** `-o json` has all of a value. */
const LONGEST = 120
