import type { Directive } from './directive.ts'
import type { NginxScope } from './nginx-scope.ts'

/** Host names of a server that listeners can have; others are reported. */
export const serverNames = (scope: NginxScope): readonly string[] =>
  scope
    .own('server_name')
    .flatMap((directive) => directive.args.flatMap((name) => hostnames(name, directive, scope)))

const hostnames = (name: string, { at }: Directive, { report }: NginxScope): readonly string[] => {
  if (name === '' || name === '_' || name === '$hostname') return []
  const lower = name.toLowerCase().replace(/\.$/, '')
  if (/^\.[a-z0-9.-]+$/.test(lower)) return [lower.slice(1), `*${lower}`]
  if (/^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(lower)) return [lower]
  const simple = /^~\^([a-z0-9-]+(?:\\\.[a-z0-9-]+)*)\$$/.exec(lower)?.[1]
  if (simple !== undefined) return [simple.replaceAll('\\', '')]
  report.dropped(
    at,
    `server_name ${name}`,
    'listeners have exact names, and names such as *.example.com',
    'list the names',
  )
  return []
}
