import type { JsonValue } from '../../../model/json-value.ts'
import type { TraceRecord } from '../trace-record.ts'
import { durationText, type Line, line, span, wrapLine } from './span.ts'

/** The policies in force by phase, the rules of authorizations, and what the stages did. */
export const policyLines = (record: TraceRecord, columns: number): readonly Line[] => {
  const lines: Line[] = []
  for (const { phase, effective } of record.policies) {
    const names = Object.keys(effective)
    lines.push([span(phase, 'strong'), span(names.length === 0 ? ': none' : '', 'dim')])
    for (const name of names) lines.push(...policyOf(name, effective[name], columns))
  }
  for (const { result, rules } of record.authorizations) {
    const tone = result === 'allow' ? 'good' : 'bad'
    lines.push([], [span('authorization: ', 'strong'), span(result, tone)])
    for (const { name, mode, matched, error } of rules)
      lines.push(
        ...wrapLine(
          `${mode} ${matched ? 'matched' : 'did not match'}: ${name}${error === undefined ? '' : ` (${error})`}`,
          columns,
          matched ? 'plain' : 'dim',
          '  ',
        ),
      )
  }
  if (record.stages.length > 0) lines.push([], line('stages', 'strong'))
  for (const { kind, verdict, text, startUs, tookUs, status, code } of record.stages) {
    const parts = [
      `${kind} ${verdict}`,
      `at ${durationText(startUs)}`,
      ...(tookUs === undefined ? [] : [`took ${durationText(tookUs)}`]),
      ...(status === null ? [] : [`replied ${String(status)} ${code ?? ''}`]),
      text,
    ]
    lines.push(
      ...wrapLine(parts.filter(Boolean).join(', '), columns, verdict === 'skipped' ? 'dim' : 'plain', '  '),
    )
  }
  return lines
}

/** On one line if it fits. */
const policyOf = (name: string, policy: JsonValue | undefined, columns: number): Line[] => {
  const short = `${name}: ${JSON.stringify(policy)}`
  const text = short.length <= columns - 2 ? short : `${name}: ${JSON.stringify(policy, undefined, 2)}`
  return text.split('\n').flatMap((one) => wrapLine(one, columns, 'plain', '  '))
}
