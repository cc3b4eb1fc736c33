import type {
  ExplainedBackend,
  ExplainedPolicy,
  Explanation,
  NotChosen,
  RequestVerdict,
  Written,
} from './explanation.ts'

/** An explanation for people. */
export const printExplanation = (explained: Explanation): string => {
  const { file, request, listener, routes, rules, undecided } = explained
  const at = (written: Written | undefined): string =>
    written ? `   ${file}:${String(written.line)} ${written.path}` : ''
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Verdict', explained.verdicts.flatMap(verdictLines)],
    [
      'Listener',
      listener
        ? [
            `${listener.key} (${listener.protocol}, host ${listener.hostname}) on ${explained.bind}${at(listener.written)}`,
          ]
        : [`none on ${explained.bind}`],
    ],
    [
      'Route',
      routes.length === 0
        ? ['none']
        : routes.map(
            ({ name, rule, match, written }) =>
              `${name}${rule === undefined ? '' : `/${rule}`} by ${match}${at(written)}`,
          ),
    ],
    ['Policies, in order', explained.policies.flatMap((policy) => policyLines(policy, at))],
    [
      'Rules',
      rules.map(
        ({ mode, name, matched, error }) =>
          `${mode} ${name}: ${error ?? (matched ? 'matches' : 'does not match')}`,
      ),
    ],
    ['Backends', explained.backends.flatMap((backend) => backendLines(backend, at))],
    [
      'Not known here',
      undecided.map(
        ({ level, of, policy, why }) => `${policy} of ${level}${of === '' ? '' : ` ${of}`}: ${why}`,
      ),
    ],
    ['Other listeners', explained.otherListeners.map((one) => notChosenLine(one, at))],
    ['Other routes', explained.otherRoutes.map((one) => notChosenLine(one, at))],
  ]
  const body = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`)
  return `${request.method} ${request.url}${normalized(explained)}\n\n${body.join('\n')}`
}

/** How the gateway reads the target, if not as written. */
const normalized = ({ request: { received, target } }: Explanation): string =>
  received === target ? '' : `\n(matched as ${target})`

const verdictLines = (verdict: RequestVerdict): readonly string[] => {
  if (verdict.kind === 'closed') return [`the connection is closed: ${verdict.why}`]
  if (verdict.kind === 'reply') {
    const { status, code, by, message, headers, backend } = verdict
    const what = [code, message === undefined ? undefined : JSON.stringify(message)].filter(
      (one) => one !== undefined,
    )
    const location = headers.find((_, i) => headers[i - 1] === 'location')
    return [
      `the gateway replies ${String(status)}${what.length === 0 ? '' : ` ${what.join(' ')}`}, by ${by}${backend === undefined ? '' : `, if ${backend} is chosen`}`,
      ...(location === undefined ? [] : [`  location: ${location}`]),
    ]
  }
  const { backend, type, sent } = verdict
  if (!sent) return [`forwarded to ${backend} (${type})`]
  const fields = sent.headers.flatMap((name, i) =>
    i % 2 === 0 ? [`  ${name}: ${sent.headers[i + 1] ?? ''}`] : [],
  )
  const model = sent.model === undefined ? '' : `, model ${sent.model}`
  return [`forwarded to ${backend} (${type}${model}): ${sent.method} ${sent.target}`, ...fields]
}

const policyLines = (
  { policy, level, of, value, written, undecided }: ExplainedPolicy,
  at: (written: Written | undefined) => string,
): readonly string[] => [
  `${policy} (${level} ${of})${written.length === 0 ? '   default' : ''}`,
  ...written.map((one) => `  from ${one.level}:${at(one)}`),
  `  ${shortened(JSON.stringify(value))}`,
  ...(undecided === undefined ? [] : [`  depends on ${undecided}`]),
]

const backendLines = (
  { name, type, weight, priority, share, targets, choice, written }: ExplainedBackend,
  at: (written: Written | undefined) => string,
): readonly string[] => {
  const percentage = `${String(Math.round(share * 100))} %`
  const use =
    share > 0 ? percentage : weight === 0 ? 'never, its weight is 0' : 'only while no other is available'
  const order = priority === 0 ? '' : `, priority ${String(priority)}`
  return [
    `${name} (${type}): ${use}${order}${at(written)}`,
    ...targets.map((target) => `  ${target}`),
    ...(choice === undefined ? [] : [`  chosen: ${choice}`]),
  ]
}

const notChosenLine = (
  { key, why, written }: NotChosen,
  at: (written: Written | undefined) => string,
): string => `${key}: ${why}${at(written)}`

const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

/** `-o json` has all of a value. */
const LONGEST = 160
