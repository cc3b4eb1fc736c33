import { CommandFailure } from '../../command-failure.ts'
import type { Directive } from './directive.ts'
import { type NginxToken, tokenize } from './tokenize.ts'

/**
 * Parses a configuration of nginx.
 *
 * @throws {CommandFailure} with line and column, where nginx would refuse the file as well.
 * @example
 * parseNginx('listen 80;', 'nginx.conf') // [{ name: 'listen', args: ['80'], … }]
 */
export const parseNginx = (text: string, file: string): readonly Directive[] => {
  const tokens = tokenize(text, file)
  let next = 0
  const fail = ({ at }: NginxToken, problem: string): never => {
    throw new CommandFailure(`${file}:${String(at.line)}:${String(at.column)}: ${problem}`)
  }
  const blockOf = (opened: NginxToken | undefined, depth: number): Directive[] => {
    if (opened && depth > MAX_DEPTH) fail(opened, 'nested too deeply')
    const directives: Directive[] = []
    let words: NginxToken[] = []
    for (;;) {
      const token = tokens[next++]
      if (token === undefined) {
        if (words[0]) fail(words[0], `"${words[0].text}" is not ended by ";"`)
        if (opened) fail(opened, 'this "{" is not closed')
        return directives
      }
      if (token.kind === 'word') {
        words.push(token)
        continue
      }
      const [name, ...args] = words
      if (token.kind === '}') {
        if (name) fail(name, `"${name.text}" is not ended by ";"`)
        if (!opened) fail(token, 'unexpected "}"')
        return directives
      }
      if (!name) return fail(token, `unexpected "${token.kind}"`)
      const block = token.kind === '{' ? blockOf(token, depth + 1) : undefined
      directives.push({ name: name.text, args: args.map((arg) => arg.text), at: name.at, block })
      words = []
    }
  }
  return blockOf(undefined, 0)
}

const MAX_DEPTH = 50
