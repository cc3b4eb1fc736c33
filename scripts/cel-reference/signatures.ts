import { environment } from '../../src/cel/environment.ts'
import { replacedFunctions } from '../../src/cel/functions/functions.ts'

/**
 * Signatures of a function, such as `string.trim(): string`: those declared here, and those of the library that they
 * do not replace.
 *
 * @param usage How it is called: calls, and further method names, separated by commas.
 */
export const signaturesOf = (usage: string): readonly string[] => {
  const calls = callsIn(usage)
  const signatures = environment
    .getDefinitions()
    .functions.flatMap(({ name, receiverType, params, returnType }) => {
      const written = writtenName.get(name) ?? name
      // Functions of the library that another one replaces; its loops, which are listed as forms; and disabled ones.
      const isOther =
        replacedFunctions.has(`${receiverType === null ? 'call' : 'rcall'} ${name} ${params.length}`) ||
        params.some(({ type }) => type === 'ast') ||
        receiverType?.startsWith('optional') === true
      if (isOther || !calls.some((call) => call.name === written && isOf(call.receiver, receiverType)))
        return []
      const receiver = receiverType === null ? '' : `${typeName(receiverType)}.`
      const types = params.map(({ type }) => typeName(type))
      const isVariadic = types.length > 2 && types.every((type) => type === 'dyn')
      return [`${receiver}${written}(${isVariadic ? 'dyn, …' : types.join(', ')}): ${typeName(returnType)}`]
    })
  return [...new Set(signatures)]
}

interface Call {
  readonly name: string
  readonly receiver: string | undefined
}

/** `string.replace(from, to), string.replace(from, to, times)` calls `replace` of a `string`, twice. */
const callsIn = (usage: string): readonly Call[] => {
  const calls: Call[] = []
  for (const part of usage.split(/, (?![^(]*\))/)) {
    const [, receiver, name] = /^(?:(.*)\.)?(\w+)(?:\([^()]*\))?$/.exec(part) ?? []
    if (name !== undefined) calls.push({ name, receiver: receiver ?? (part.includes('(') ? undefined : 'x') })
  }
  return calls
}

/** Whether the receiver in a usage may have that type. */
const isOf = (written: string | undefined, type: string | null): boolean => {
  if (written === undefined || type === null) return written === undefined && type === null
  if (namespaces.has(written)) return type === written
  const kind = kinds[written] ?? /^\w+/.exec(written)?.[0] ?? ''
  return !namespaces.has(type) && (kind === 'x' || type.toLowerCase().startsWith(kind))
}

const kinds: Readonly<Record<string, string>> = {
  time: 'google',
  headers: 'headers',
  'ip(x)': 'ip',
  'cidr(x)': 'cidr',
}

const namespaces: ReadonlySet<string> = new Set(['math', 'base64', 'url', 'form', 'sha1', 'sha256', 'md5'])

const writtenName: ReadonlyMap<string, string> = new Map(
  Array.from(replacedFunctions, ([call, registered]) => [registered, call.split(' ')[1] ?? '']),
)

const typeName = (type: string): string =>
  type
    .replaceAll('google.protobuf.Timestamp', 'timestamp')
    .replaceAll('google.protobuf.Duration', 'duration')
    .replace('Headers', 'headers')
    .replace(/^list<dyn>$/, 'list')
    .replace(/^map<dyn, dyn>$/, 'map')
